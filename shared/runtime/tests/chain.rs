//! A real chain over a log that fails at each commit in turn: what comes out of every stage is byte
//! for byte what comes out of an undisturbed run, and so is what every stage remembers.
#![allow(clippy::unwrap_used, reason = "in a test a panic is the report")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use mneme_events::Topic;
use mneme_extractor::Extractor;
use mneme_log::{EventLog, Fault, MemoryLog};
use mneme_model::GroupId;
use mneme_resolver::Resolver;
use mneme_runtime::{NoModel, RunnerConfig, StageRunner};
use mneme_stage::{Row, Stage};
use mneme_temporal_invalidator::TemporalInvalidator;
use support::{Kept, Loss, bytes, events, forty_episodes, group};
use tokio_util::sync::CancellationToken;

const OUTPUTS: [Topic; 3] = [Topic::Extractions, Topic::Resolutions, Topic::Facts];

/// What can be seen of a run.
#[derive(PartialEq)]
struct Seen {
    outputs: Vec<BTreeMap<GroupId, Vec<Vec<u8>>>>,
    rows: Vec<Vec<Row>>,
}

struct Chain {
    log: MemoryLog,
    stages: [(Arc<dyn Stage>, Kept); 3],
}

impl Chain {
    async fn new() -> Self {
        let log = MemoryLog::new(2);
        log.append(forty_episodes()).await.unwrap();
        let stages: [Arc<dyn Stage>; 3] = [
            Arc::new(Extractor::default()),
            Arc::new(Resolver),
            Arc::new(TemporalInvalidator),
        ];
        Self {
            log,
            stages: stages.map(|stage| (stage, Kept::default())),
        }
    }

    /// Runs the stages one after the other, so that the commits of each run are the same.
    async fn run_in_turn(&self, losses: &[Loss]) {
        for index in 0..self.stages.len() {
            self.run(index, losses, || true).await;
        }
    }

    /// Runs a stage until it has taken all its input; `is_last` says whether more may come. Each
    /// crash does the next of the losses to the state.
    async fn run(&self, index: usize, losses: &[Loss], is_last: impl Fn() -> bool) {
        let (stage, state) = &self.stages[index];
        let mut losses = losses.iter().cycle();
        loop {
            let log = self.log.reopen();
            let runner = StageRunner::new(
                stage.clone(),
                Arc::new(log.clone()),
                state.clone(),
                Arc::new(NoModel),
                RunnerConfig {
                    max_inputs: 9,
                    ..RunnerConfig::default()
                },
            );
            let shutdown = CancellationToken::new();
            let mut running = tokio::spawn(runner.run(shutdown.clone()));
            let ended = tokio::select! {
                ended = &mut running => ended,
                () = self.all_taken(stage.as_ref(), &is_last) => {
                    shutdown.cancel();
                    running.await
                }
            };
            match ended.unwrap() {
                Ok(()) => return,
                Err(error) => assert!(log.has_crashed(), "{error}"),
            }
            state.lose(*losses.next().unwrap());
        }
    }

    async fn all_taken(&self, stage: &dyn Stage, is_last: &impl Fn() -> bool) {
        let log = self.log.reopen();
        loop {
            // Time passes when nothing is left to do: the runner has restored its state by then.
            tokio::time::sleep(Duration::from_millis(1)).await;
            let mut all = is_last();
            for partition in 0..log.partitions() {
                let end = log.end(stage.input(), partition).await.unwrap();
                let at = log
                    .position(stage.name(), stage.input(), partition)
                    .await
                    .unwrap();
                all &= at == end;
            }
            if all {
                return;
            }
        }
    }

    async fn seen(&self) -> Seen {
        let log = self.log.reopen();
        let mut outputs = Vec::new();
        for topic in OUTPUTS {
            let mut next: BTreeMap<GroupId, i64> = BTreeMap::new();
            for event in events(&log, topic).await {
                let next = next.entry(event.group_id().clone()).or_insert(1);
                assert_eq!(event.header().seq, *next, "no gap and no repeat on {topic}");
                *next += 1;
            }
            outputs.push(bytes(&log, topic).await);
        }
        let groups = ["alpha", "beta", "gamma"].map(group);
        let rows = self
            .stages
            .iter()
            .flat_map(|(_, state)| groups.iter().map(|g| state.rows(g)));
        Seen {
            outputs,
            rows: rows.collect(),
        }
    }
}

async fn undisturbed() -> (Seen, u64) {
    let chain = Chain::new().await;
    chain.run_in_turn(&[Loss::Nothing]).await;
    (chain.seen().await, chain.log.commits())
}

#[tokio::test(start_paused = true)]
async fn a_failure_at_any_commit_changes_nothing() {
    let (expected, commits) = undisturbed().await;
    let sizes: Vec<usize> = expected
        .outputs
        .iter()
        .map(|groups| groups.values().map(Vec::len).sum())
        .collect();
    assert!(
        sizes.iter().all(|size| *size >= 30),
        "the chain does something: {sizes:?}"
    );
    assert!(expected.outputs.iter().all(|groups| groups.len() == 3));
    assert!(commits > 40, "there are many commit points: {commits}");

    let losses = [
        Loss::Nothing,
        Loss::Everything,
        Loss::Last(1),
        Loss::Last(3),
    ];
    let mut runs = 0;
    for nth in 1..=commits {
        let crashes = [Fault::CrashBefore, Fault::CrashAfter];
        let crashes = crashes
            .iter()
            .flat_map(|fault| losses.map(|loss| (*fault, loss)));
        let others = [(Fault::Retry, Loss::Nothing), (Fault::Abort, Loss::Nothing)];
        for (fault, loss) in crashes.chain(others) {
            let chain = Chain::new().await;
            chain.log.fail_commit(nth, fault);
            chain.run_in_turn(&[loss]).await;
            assert!(chain.log.commits() >= commits);
            let seen = chain.seen().await;
            assert!(
                seen.outputs == expected.outputs,
                "outputs: {fault:?} at {nth}, {loss:?}"
            );
            assert!(
                seen.rows == expected.rows,
                "rows: {fault:?} at {nth}, {loss:?}"
            );
            runs += 1;
        }
    }
    assert_eq!(runs, commits * 10);
}

#[tokio::test(start_paused = true)]
async fn many_failures_while_all_stages_run_change_nothing() {
    let (expected, _) = undisturbed().await;
    for seed in 1..=60_u64 {
        let chain = Chain::new().await;
        let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut next = |below: u64| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            random % below
        };
        let mut nth = 0;
        while nth < 200 {
            nth += 1 + next(6);
            let faults = [
                Fault::Retry,
                Fault::Abort,
                Fault::CrashBefore,
                Fault::CrashAfter,
            ];
            chain.log.fail_commit(nth, faults[next(4) as usize]);
        }
        let losses: Vec<Loss> = (0..20)
            .map(|_| match next(4) {
                0 => Loss::Nothing,
                1 => Loss::Everything,
                count => Loss::Last(count as usize),
            })
            .collect();
        let done = [(); 3].map(|()| CancellationToken::new());
        let run = async |index: usize| {
            let before = || index == 0 || done[index - 1].is_cancelled();
            chain.run(index, &losses, before).await;
            done[index].cancel();
        };
        tokio::join!(run(0), run(1), run(2));
        let seen = chain.seen().await;
        assert!(seen.outputs == expected.outputs, "outputs, seed {seed}");
        assert!(seen.rows == expected.rows, "rows, seed {seed}");
    }
}
