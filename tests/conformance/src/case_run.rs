//! One case against one fresh server: its steps and expectations, in all orders if it says so.

use std::path::Path;

use futures::stream::{self, StreamExt};
use serde_json::Value;

use crate::case::{Case, Plan};
use crate::check::{Scene, check};
use crate::expectation::Expectation;
use crate::orders::all_orders;
use crate::runner::Options;
use crate::server::{Launch, Server, ServerError};
use crate::stub::stub_answers;
use crate::world::{Played, play};

/// How many orders of a case, or pairs of names, are played at once.
pub(crate) const AT_ONCE: usize = 8;
/// How many orders that differ are told of one case.
const ORDERS_TOLD: usize = 2;

/// Plays a case, in all its orders if it says so, on one fresh server.
pub(crate) async fn run_plan(
    case: &Case,
    plan: &Plan,
    options: &Options,
) -> Result<Vec<String>, ServerError> {
    let ordered = if plan
        .expect
        .iter()
        .any(|e| matches!(e, Expectation::AllOrders))
    {
        all_orders(case)
    } else {
        vec![case.clone()]
    };
    let folder = tempfile::tempdir()?;
    let server = start(folder.path(), stub_answers(&ordered), options).await?;
    let at_once = if plan.stops_the_process() { 1 } else { AT_ONCE };
    let mut differing: Vec<(usize, Vec<String>)> = stream::iter(ordered.iter().enumerate())
        .map(async |(index, case)| (index, run_order(&server, case, options).await))
        .buffer_unordered(at_once)
        .filter(|(_, differences)| std::future::ready(!differences.is_empty()))
        .collect()
        .await;
    differing.sort_by_key(|(index, _)| *index);
    let mut differences = if ordered.len() == 1 {
        differing
            .into_iter()
            .flat_map(|(_, differences)| differences)
            .collect()
    } else {
        of_orders(&ordered, differing)
    };
    let status = server.stop().await?;
    if !status.success() {
        differences.push(format!("expected a clean stop on SIGTERM; came {status}"));
    }
    Ok(differences)
}

/// Names the orders that differ by the episodes' ids; the first few in full.
fn of_orders(ordered: &[Case], differing: Vec<(usize, Vec<String>)>) -> Vec<String> {
    let more = differing.len().saturating_sub(ORDERS_TOLD);
    let told = differing
        .into_iter()
        .take(ORDERS_TOLD)
        .flat_map(|(index, differences)| {
            let ids: Vec<&str> = ordered[index]
                .episodes()
                .filter_map(|episode| episode.get("episode_id")?.as_str())
                .collect();
            let order = ids.join(" ");
            differences
                .into_iter()
                .map(move |difference| format!("in order {order}: {difference}"))
        });
    let rest = (more > 0).then(|| format!("and in {more} more of {} orders", ordered.len()));
    told.chain(rest).collect()
}

async fn run_order(server: &Server, case: &Case, options: &Options) -> Vec<String> {
    let plan = match case.plan() {
        Ok(plan) => plan,
        Err(reason) => return vec![reason],
    };
    let Played {
        instants,
        mut differences,
        whole,
    } = play(server, &plan, &case.groups()).await;
    if !whole {
        return differences;
    }
    let client = server.client();
    let scene = Scene {
        server,
        client: &client,
        plan: &plan,
        instants: &instants,
    };
    for (index, expectation) in plan.expect.iter().enumerate() {
        if matches!(expectation, Expectation::GrepAll(_)) && !options.grep_all {
            continue;
        }
        if let Err(difference) = check(&scene, expectation).await {
            let word = expectation.word();
            differences.push(format!("expectation {} ({word}): {difference}", index + 1));
        }
    }
    differences
}

/// Starts a server below the folder, with a model to be played where there are answers for it.
pub(crate) async fn start(
    folder: &Path,
    stub: Option<Value>,
    options: &Options,
) -> Result<Server, ServerError> {
    let stub = match stub {
        None => None,
        Some(answers) => {
            let path = folder.join("stub-extractions.json");
            std::fs::write(&path, answers.to_string())?;
            Some(path)
        }
    };
    let launch = Launch {
        binary: options.binary.clone(),
        data: folder.join("data"),
        output: folder.join("output"),
        stub,
        kafka: options.kafka.clone(),
        environment: Vec::new(),
    };
    Server::start(launch).await
}
