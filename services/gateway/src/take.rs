//! Raw records of producers: made episodes by a mapping, checked and added, the same whether they come
//! over HTTP or from a producer's topic.

use mneme_api::{Problem, ProblemCode};
use mneme_model::GroupId;
use mneme_telemetry::{TraceParent, spans};
use serde_json::Value;

use crate::Gateway;
use crate::accept::Accepted;
use crate::episode::Submission;
use crate::intake::Mapping;

/// An episode that was refused, with its group and id where these could be read.
pub(crate) struct Refused {
    pub group_id: Option<GroupId>,
    pub episode_id: Option<String>,
    pub problem: Box<Problem>,
}

/// A raw record, and the trace that its producer says it belongs to.
#[derive(Debug, Clone)]
pub struct RawRecord {
    /// The record.
    pub value: Value,
    /// The trace.
    pub trace: Option<TraceParent>,
}

/// What became of a raw record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// The log has its episode, which is new.
    Accepted,
    /// The log had its episode already.
    Duplicate,
    /// It makes no episode, or none that may be added, however often it is sent.
    Refused {
        /// The group, where the mapping found one.
        group_id: Option<GroupId>,
        /// Why, without the content of the record.
        problem: Problem,
    },
    /// Something that is needed is away or failed. Take it again later, before what comes after it.
    NotNow(Problem),
}

impl Gateway {
    /// Adds the episodes that a mapping makes of raw records and tells what became of each, in order.
    /// Of the records of a group, those after one that can't be taken now are not taken either.
    pub async fn take(&self, mapping: &Mapping, records: &[Value]) -> Vec<Taken> {
        let trace = spans::current();
        let each = records.iter().map(|value| (value, trace));
        self.tell(mapping, each).await
    }

    /// The same, with records that belong to traces of their own.
    pub async fn take_traced(&self, mapping: &Mapping, records: &[RawRecord]) -> Vec<Taken> {
        let each = records.iter().map(|record| (&record.value, record.trace));
        self.tell(mapping, each).await
    }

    async fn tell(
        &self,
        mapping: &Mapping,
        records: impl ExactSizeIterator<Item = (&Value, Option<TraceParent>)>,
    ) -> Vec<Taken> {
        let count = records.len();
        match self.take_all(mapping, records).await {
            Ok(submitted) => submitted.into_iter().map(Taken::from).collect(),
            Err(problem) => vec![Taken::NotNow(problem); count],
        }
    }

    /// The same, with what an answer over HTTP tells.
    pub(crate) async fn take_all(
        &self,
        mapping: &Mapping,
        records: impl Iterator<Item = (&Value, Option<TraceParent>)>,
    ) -> Result<Vec<Result<Accepted, Refused>>, Problem> {
        let read = records.map(|(record, trace)| {
            let body = mapping.apply(record).map_err(|error| Refused {
                group_id: mapping.group_of(record),
                episode_id: None,
                problem: Box::new(Problem::new(ProblemCode::InvalidField, error.to_string())),
            })?;
            let group_id = Some(body.group_id.clone());
            let episode_id = body.episode_id.as_ref().map(ToString::to_string);
            let checked = Submission::check(body).map_err(|problem| Refused {
                group_id,
                episode_id,
                problem: Box::new(problem),
            });
            checked.map(|submission| submission.within(trace))
        });
        self.submit_all(read.collect()).await
    }

    /// Submits what could be read and tells what became of each, in order.
    pub(crate) async fn submit_all(
        &self,
        read: Vec<Result<Submission, Refused>>,
    ) -> Result<Vec<Result<Accepted, Refused>>, Problem> {
        self.ready().await?;
        let mut submissions = Vec::with_capacity(read.len());
        let mut results = Vec::with_capacity(read.len());
        for one in read {
            results.push(match one {
                Ok(submission) => {
                    let ids = (
                        submission.group_id.clone(),
                        submission.episode_id.to_string(),
                    );
                    submissions.push(submission);
                    Ok(ids)
                }
                Err(refused) => Err(refused),
            });
        }
        let mut submitted = self.shared.submit(submissions).await.into_iter();
        let results = results.into_iter().map(|result| {
            let (group_id, episode_id) = result?;
            let told = submitted.next().unwrap_or_else(|| Err(Problem::internal()));
            told.map_err(|problem| Refused {
                group_id: Some(group_id),
                episode_id: Some(episode_id),
                problem: Box::new(problem),
            })
        });
        Ok(results.collect())
    }
}

impl From<Result<Accepted, Refused>> for Taken {
    fn from(submitted: Result<Accepted, Refused>) -> Self {
        match submitted {
            Ok(accepted) if accepted.duplicate => Self::Duplicate,
            Ok(_) => Self::Accepted,
            Err(refused) if refused.problem.is_passing() => Self::NotNow(*refused.problem),
            Err(Refused {
                group_id, problem, ..
            }) => Self::Refused {
                group_id,
                problem: *problem,
            },
        }
    }
}
