//! Episodes that passed all checks are accepted, recognised as repeats, or refused as conflicts.

use std::collections::{HashMap, HashSet};

use futures::{StreamExt, stream};
use mneme_api::{Problem, ProblemCode};
use mneme_model::{EpisodeId, GroupId};

use super::known::Memory;
use super::{Claim, Draft};
use crate::episode::{Submission, part_id};
use crate::gateway::{Shared, store_problem};
use crate::measures;

/// How many ids of a batch are looked up at once.
const LOOKUPS: usize = 16;

/// An episode, or the parts of a long text, that the log has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    pub group_id: GroupId,
    /// The id as it was sent.
    pub episode_id: EpisodeId,
    /// The ids of the parts; none where it was not split.
    pub parts: Vec<EpisodeId>,
    /// Whether it was accepted before.
    pub duplicate: bool,
    /// The position of the (last) record.
    pub position: u64,
}

impl Accepted {
    /// The episode whose record is the last.
    pub fn last_id(&self) -> &EpisodeId {
        self.parts.last().unwrap_or(&self.episode_id)
    }
}

/// An episode that was accepted.
pub(super) struct Found {
    digest: Box<str>,
    pub position: u64,
}

/// The groups of which something could not be taken now, and why. What comes after it in the same
/// request is not taken either: else it would be before it when that is sent again.
type HeldBack = HashMap<GroupId, Problem>;

enum Decision {
    New(Submission, Claim),
    Settled(Result<Accepted, Problem>),
}

impl Shared {
    /// Accepts what is new and tells what became of each, in the order given. One append holds all
    /// that no other request is deciding on. What is accepted of a group is in the order given, also
    /// where a part of it is sent again since it could not be taken now.
    pub async fn submit(&self, submissions: Vec<Submission>) -> Vec<Result<Accepted, Problem>> {
        let mut results: Vec<(usize, Result<Accepted, Problem>)> = Vec::new();
        let mut held_back = HeldBack::new();
        let mut open: Vec<(usize, Submission)> = submissions.into_iter().enumerate().collect();
        if let Err(problem) = self.make_room().await {
            return open.iter().map(|_| Err(problem.clone())).collect();
        }
        while !open.is_empty() {
            let mut claimed = Vec::new();
            let mut later = Vec::new();
            let mut busy = None;
            // What comes after something that waits is not to come before it.
            let mut waiting = HashSet::new();
            for (index, submission) in open {
                if waiting.contains(&submission.group_id) {
                    later.push((index, submission));
                    continue;
                }
                match self.known.claim(&submission.group_id, submission.ids()) {
                    Ok(claim) => claimed.push((index, submission, claim)),
                    Err(other) => {
                        busy.get_or_insert(other);
                        waiting.insert(submission.group_id.clone());
                        later.push((index, submission));
                    }
                }
            }
            results.extend(self.decide_and_append(claimed, &mut held_back).await);
            // Nothing is claimed any more, so those that wait for each other never do so forever.
            if let Some(busy) = busy {
                busy.ended().await;
            }
            open = later;
        }
        results.sort_unstable_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    }

    async fn decide_and_append(
        &self,
        claimed: Vec<(usize, Submission, Claim)>,
        held_back: &mut HeldBack,
    ) -> Vec<(usize, Result<Accepted, Problem>)> {
        let decisions: Vec<(usize, GroupId, Decision)> = stream::iter(claimed)
            .map(async |(index, submission, claim)| {
                let group = submission.group_id.clone();
                (index, group, self.decide(submission, claim).await)
            })
            .buffered(LOOKUPS)
            .collect()
            .await;
        let mut results = Vec::with_capacity(decisions.len());
        let mut drafts = Vec::new();
        let mut claims = Vec::new();
        let mut accepted = Vec::new();
        for (index, group, decision) in decisions {
            if let Some(problem) = held_back.get(&group) {
                results.push((index, Err(problem.clone())));
                continue;
            }
            match decision {
                Decision::Settled(result) => {
                    if let Err(problem) = &result
                        && problem.is_passing()
                    {
                        held_back.insert(group, problem.clone());
                    }
                    results.push((index, result));
                }
                Decision::New(submission, claim) => {
                    claims.push(claim);
                    measures::accepted(submission.source());
                    accepted.push((index, submission.accepted(), submission.episodes.len()));
                    let (episodes, trace) = (submission.episodes, submission.trace);
                    let episodes = episodes.into_iter().map(Box::new).map(Draft::Episode);
                    drafts.extend(episodes.map(|draft| (group.clone(), draft, trace)));
                }
            }
        }
        if drafts.is_empty() {
            return results;
        }
        match self.writer.append(drafts, claims).await {
            Ok(positions) => {
                let mut positions = positions.into_iter();
                for (index, mut accepted, count) in accepted {
                    let last = positions.by_ref().take(count).last();
                    accepted.position = last.unwrap_or_default();
                    results.push((index, Ok(accepted)));
                }
            }
            Err(problem) => {
                for (index, accepted, _) in accepted {
                    held_back.insert(accepted.group_id, problem.clone());
                    results.push((index, Err(problem.clone())));
                }
            }
        }
        results
    }

    async fn decide(&self, submission: Submission, claim: Claim) -> Decision {
        if submission.fresh {
            return Decision::New(submission, claim);
        }
        match self.earlier(&submission).await {
            Ok(None) => Decision::New(submission, claim),
            Ok(Some(position)) => {
                measures::repeated();
                Decision::Settled(Ok(Accepted {
                    duplicate: true,
                    position,
                    ..submission.accepted()
                }))
            }
            Err(problem) => Decision::Settled(Err(problem)),
        }
    }

    /// The position of the same episode if it was accepted before; a problem if the id was accepted
    /// with other content.
    async fn earlier(&self, submission: &Submission) -> Result<Option<u64>, Problem> {
        let group = &submission.group_id;
        let mut position = None;
        let mut missing = false;
        for episode in &submission.episodes {
            match self.find(group, &episode.episode_id).await? {
                Some(found) if *found.digest == *episode.digest => {
                    position = position.max(Some(found.position));
                }
                Some(_) => return Err(conflict(&submission.episode_id)),
                None => missing = true,
            }
        }
        if position.is_some() && missing {
            return Err(conflict(&submission.episode_id));
        }
        if position.is_none() {
            // The same id may be that of a text that was split, or was not.
            let other = if submission.is_split() {
                Some(submission.episode_id.clone())
            } else if submission.may_be_split() {
                part_id(&submission.episode_id, 1).ok()
            } else {
                None
            };
            if let Some(other) = other
                && self.find(group, &other).await?.is_some()
            {
                return Err(conflict(&submission.episode_id));
            }
        }
        Ok(position)
    }

    /// What is known of an id, here or in the graph.
    pub(super) async fn find(
        &self,
        group: &GroupId,
        episode: &EpisodeId,
    ) -> Result<Option<Found>, Problem> {
        let erased = match self.known.recall(group, episode) {
            Some(Memory::Accepted { digest, position }) => {
                return Ok(Some(Found { digest, position }));
            }
            Some(Memory::Erased { position }) => Some(position),
            None => None,
        };
        let row = self.records.episode(group, episode).await;
        let row = row.map_err(store_problem)?;
        let row = row.filter(|row| erased.is_none_or(|erased| row.position > erased));
        Ok(row.map(|row| Found {
            digest: row.episode.digest.into(),
            position: row.position,
        }))
    }
}

fn conflict(episode: &EpisodeId) -> Problem {
    let detail = format!(
        "episode_id: '{episode}' was accepted with other content; send new content under a new id, \
         or erase the old first"
    );
    Problem::new(ProblemCode::Conflict, detail).about("episode_id")
}
