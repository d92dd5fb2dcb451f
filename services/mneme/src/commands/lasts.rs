//! The last episodes of each group that was written to. When these are applied, all that was sent is:
//! a group is in order, but groups need not be in order among each other. It holds so many at the
//! most; before there are more, they are waited for.

use std::collections::HashMap;

use anyhow::ensure;
use reqwest::Method;
use serde_json::{Value, json};

use crate::client::Client;

/// How many episodes are held, and how many bytes of them.
const EPISODES: usize = 4_000;
const BYTES: usize = 16 << 20;
/// How many episodes are waited for in one request, and how many bytes of them.
const BATCH: usize = 200;
const BATCH_BYTES: usize = 4 << 20;

/// An episode that may be the last of its group.
struct Last {
    /// The request that it went with.
    request: usize,
    /// Whether that was answered: what is sent from now on comes after it.
    answered: bool,
    episode: Value,
    bytes: usize,
}

/// The last episodes of the groups.
#[derive(Default)]
pub struct Lasts {
    of_group: HashMap<String, Vec<Last>>,
    count: usize,
    bytes: usize,
}

impl Lasts {
    /// An episode is sent, the last of its group in this request.
    pub fn sent(&mut self, request: usize, episode: &Value) {
        let group = episode["group_id"].as_str().unwrap_or_default().to_owned();
        let lasts = self.of_group.entry(group).or_default();
        let (count, bytes) = (&mut self.count, &mut self.bytes);
        lasts.retain(|last| {
            let may_be_last = !last.answered && last.request != request;
            if !may_be_last {
                *count -= 1;
                *bytes -= last.bytes;
            }
            may_be_last
        });
        let last = Last {
            request,
            answered: false,
            episode: episode.clone(),
            bytes: episode.to_string().len(),
        };
        self.count += 1;
        self.bytes += last.bytes;
        lasts.push(last);
    }

    /// A request was answered.
    pub fn answered(&mut self, request: usize) {
        for last in self.of_group.values_mut().flatten() {
            last.answered |= last.request == request;
        }
    }

    /// Whether they are to be waited for before more is sent.
    pub fn is_full(&self) -> bool {
        self.count >= EPISODES || self.bytes >= BYTES
    }

    /// Waits until all are applied, and forgets them. All requests were answered.
    pub async fn wait(&mut self, client: &Client) -> anyhow::Result<()> {
        let wait = [
            ("wait", "applied".to_owned()),
            ("timeout_ms", "600000".to_owned()),
        ];
        for episodes in self.take() {
            // Sent again, an episode is answered when all of its group before it is applied, too.
            let body = json!({ "episodes": episodes });
            let path = ["v1", "episodes", "batch"];
            let answer: Value = client.call(Method::POST, &path, &wait, &body).await?;
            let results = answer["results"].as_array().cloned().unwrap_or_default();
            let refused = results.iter().find(|result| result["problem"].is_object());
            ensure!(refused.is_none(), "an episode was refused: {refused:?}");
        }
        Ok(())
    }

    /// What is held, in batches.
    fn take(&mut self) -> Vec<Vec<Value>> {
        let mut batches: Vec<Vec<Value>> = Vec::new();
        let mut bytes = 0;
        for last in std::mem::take(self).of_group.into_values().flatten() {
            match batches.last_mut() {
                Some(batch) if batch.len() < BATCH && bytes + last.bytes <= BATCH_BYTES => {
                    bytes += last.bytes;
                    batch.push(last.episode);
                }
                _ => {
                    bytes = last.bytes;
                    batches.push(vec![last.episode]);
                }
            }
        }
        batches
    }
}

/// The last episode of each group of a request.
pub fn last_of_each_group(episodes: &[Value]) -> impl Iterator<Item = &Value> {
    let mut last = HashMap::new();
    for episode in episodes {
        last.insert(episode["group_id"].as_str(), episode);
    }
    last.into_values()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn episode(group: &str, id: usize) -> Value {
        json!({"group_id": group, "episode_id": id.to_string()})
    }

    fn ids(lasts: &mut Lasts) -> Vec<String> {
        let taken = lasts.take().into_iter().flatten();
        let mut ids: Vec<String> = taken
            .map(|episode| episode["episode_id"].as_str().unwrap().to_owned())
            .collect();
        ids.sort();
        ids
    }

    #[test]
    fn one_of_each_group_and_of_each_request_under_way() {
        let mut lasts = Lasts::default();
        lasts.sent(0, &episode("a", 1));
        lasts.sent(0, &episode("b", 2));
        lasts.answered(0);
        lasts.sent(1, &episode("a", 3));
        lasts.sent(2, &episode("a", 4));
        // Which of the two came later is not known.
        assert_eq!(ids(&mut lasts), ["2", "3", "4"]);
        assert_eq!(ids(&mut lasts), [""; 0]);
        for request in 0..9 {
            lasts.sent(request, &episode("a", request));
            lasts.answered(request);
        }
        assert_eq!((lasts.count, ids(&mut lasts)), (1, vec!["8".to_owned()]));
    }

    #[test]
    fn it_is_full_before_it_is_large() {
        let mut lasts = Lasts::default();
        for group in 0..EPISODES {
            assert!(!lasts.is_full());
            lasts.sent(group, &episode(&group.to_string(), group));
        }
        assert!(lasts.is_full());
        assert!(lasts.take().iter().all(|batch| batch.len() <= BATCH));
        assert!(!lasts.is_full());
        let large = json!({"group_id": "a", "body": "x".repeat(BYTES)});
        lasts.sent(0, &large);
        assert!(lasts.is_full());
    }

    #[test]
    fn the_last_of_each_group_of_a_request() {
        let episodes = [episode("a", 1), episode("b", 2), episode("a", 3)];
        let mut found: Vec<_> = last_of_each_group(&episodes)
            .map(|episode| episode["episode_id"].as_str())
            .collect();
        found.sort();
        assert_eq!(found, [Some("2"), Some("3")]);
    }
}
