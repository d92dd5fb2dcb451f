//! The HTTP API as types, shared by the services that answer and the clients that ask.
//!
//! - What a request says is understood whole or refused: an unknown field, a wrong type, a bad id
//!   or time is a [`Problem`] that names the field and the fix. Nothing is ignored.
//! - Every refusal is a problem document (RFC 9457) with a code from [`ProblemCode`], and
//!   `docs/problems.md` has a line for each.
//! - A group is never optional: a request that names none can't be built.
//!
//! [`Body`], [`Params`] and the paths ([`GroupPath`], …) are the only ways in; [`Applied`] tells
//! when a write can be read.

mod applied;
mod body;
mod episode_body;
mod error_path;
mod objects;
mod params;
mod path;
mod problem;
mod problem_code;
mod read;
mod read_params;
mod search;
mod time_text;
mod write;

pub use applied::{Applied, NotApplied, UpTo};
pub use body::{Body, REQUEST_BYTES, from_json, from_value};
pub use episode_body::{AuthorDto, EpisodeBody, StatementDto};
pub use params::{Params, from_query};
pub use path::{EntityPath, EpisodePath, FactPath, GroupPath, LetterPath, MappingPath};
pub use problem::{Problem, no_such_method, no_such_route};
pub use problem_code::ProblemCode;
pub use read::{
    CommunitiesResponse, CommunityDto, EntitiesResponse, EntityDto, EntityRefDto, EpisodeDto,
    EpisodesResponse, FactDto, FactsResponse, HistoryResponse, MemberDto, ObjectDto, SourceDto,
    StateDto,
};
pub use read_params::{EntitiesParams, EpisodesParams, FactsParams};
pub use search::{
    ContextRequest, ContextResponse, MethodDto, RerankDto, ResultDto, ResultKind, ScopeDto,
    SearchRequest, SearchResponse,
};
pub use time_text::TimeText;
pub use write::{
    BatchRequest, BatchResponse, BatchResult, ChangeAccepted, ChangeState, CorrectionRequest,
    CorrectionSet, EpisodeAccepted, MergeRequest, OntologyDto, SplitRequest, WaitFor, WaitParams,
};
