//! Disturbs the processes of a memory, and the broker, at random but by a seed: up to three at a time,
//! two of them stages.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use mneme_conformance::{Instance, STAGES, Server};
use mneme_end_to_end::Dice;
use tokio::time::sleep;

use crate::{Broker, lines_with};

/// How long a process may take to start: the broker may be away, and the machine busy.
const START: Duration = Duration::from_secs(120);

/// What was done to them.
#[derive(Debug, Default)]
pub struct Disturbed {
    kills: usize,
    stops: usize,
    pauses: usize,
    wiped: usize,
    broker_kills: usize,
    /// How often partitions were given or taken, as the processes tell.
    rebalances: usize,
}

impl fmt::Display for Disturbed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} kills, {} stops, {} pauses, {} lost data folders, {} kills of the broker, {} rebalances",
            self.kills, self.stops, self.pauses, self.wiped, self.broker_kills, self.rebalances
        )
    }
}

/// Disturbs for so long; when it returns, whatever was stopped is started again.
pub async fn disturb(server: &Server, broker: &Broker, seed: u64, time: Duration) -> Disturbed {
    let until = Instant::now() + time;
    let is_stage = |each: &&Instance| STAGES.iter().any(|stage| each.name().starts_with(stage));
    let (stages, others): (Vec<_>, Vec<_>) = server.instances().partition(is_stage);
    let (some, rest) = stages.split_at(stages.len() / 2);
    let of_stages = async |stages: &[&Instance], seed: u64| {
        let (mut dice, mut done) = (Dice::new(seed), Disturbed::default());
        while Instant::now() < until {
            pause(&mut dice, 1_500).await;
            hit(dice.one_of(stages), &mut dice, &mut done).await;
        }
        done
    };
    let of_others = async {
        let (mut dice, mut done) = (Dice::new(seed ^ 0xb0b), Disturbed::default());
        while Instant::now() < until {
            pause(&mut dice, 8_000).await;
            if dice.below(2) == 0 {
                broker.kill().await;
                done.broker_kills += 1;
                pause(&mut dice, 3_000).await;
                broker.up().await;
            } else {
                hit(dice.one_of(&others), &mut dice, &mut done).await;
            }
        }
        done
    };
    let (mut all, of_rest, of_others) = futures::join!(
        of_stages(some, seed),
        of_stages(rest, seed ^ 0xace),
        of_others
    );
    for more in [of_rest, of_others] {
        all.kills += more.kills;
        all.stops += more.stops;
        all.pauses += more.pauses;
        all.wiped += more.wiped;
        all.broker_kills += more.broker_kills;
    }
    all.rebalances = count_lines(server.output(), "partitions were ");
    all
}

/// Does one thing to a process, and undoes it after a while.
async fn hit(instance: &Instance, dice: &mut Dice, done: &mut Disturbed) {
    match dice.below(10) {
        0..5 => {
            instance.kill().await.unwrap();
            done.kills += 1;
            pause(dice, 2_000).await;
            if dice.below(4) == 0 {
                instance.wipe().await.unwrap();
                done.wiped += 1;
            }
            start(instance).await;
        }
        5..7 => {
            // One that can't finish what it does within its time is killed, as a supervisor does.
            if instance.stop().await.is_err() {
                instance.kill().await.unwrap();
            }
            done.stops += 1;
            pause(dice, 1_000).await;
            start(instance).await;
        }
        _ => {
            instance.pause().await.unwrap();
            // Shorter or longer than the time after which others take its partitions.
            pause(dice, 10_000).await;
            instance.resume().await.unwrap();
            done.pauses += 1;
        }
    }
}

async fn pause(dice: &mut Dice, most_ms: u64) {
    sleep(Duration::from_millis(dice.below(most_ms))).await;
}

/// Starts it, again and again while it can't.
pub(crate) async fn start(instance: &Instance) {
    let begun = Instant::now();
    while let Err(error) = instance.start_if_stopped().await {
        assert!(begun.elapsed() < START, "{}: {error}", instance.name());
        sleep(Duration::from_millis(500)).await;
    }
}

/// How many lines that the processes printed hold this.
fn count_lines(output: &Path, part: &str) -> usize {
    let folders = std::fs::read_dir(output).unwrap();
    folders
        .map(|folder| lines_with(&folder.unwrap().path(), part))
        .sum()
}
