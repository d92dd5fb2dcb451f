//! Windows and sessions of episodes.

use mneme_events::Topic;

use super::case::{Case, ids};
use crate::conformance::documents::*;
use crate::{DocumentKind, TextField};

pub(super) async fn suite(case: Case<'_>) {
    neighbours_lend_their_words(case).await;
    a_session_ends_with_a_gap(case).await;
    a_late_episode_takes_its_place(case).await;
}

async fn found(case: Case<'_>, field: TextField, text: &str) -> Vec<String> {
    let mut found = ids(case.hits(DocumentKind::Episode, field, text).await);
    found.sort_unstable();
    found
}

async fn neighbours_lend_their_words(case: Case<'_>) {
    case.apply(vec![
        put(episode("e1", Some("t"), 1, "shall we meet")),
        put(episode("e2", Some("t"), 2, "in the harbour")),
        put(episode("e3", Some("t"), 3, "fine by me")),
        put(episode("e4", Some("t"), 4, "see you")),
        put(episode("x", Some("other"), 2, "nothing")),
        put(episode("y", None, 2, "nothing")),
    ])
    .await;
    assert_eq!(found(case, TextField::Text, "harbour").await, ["e2"]);
    assert_eq!(
        found(case, TextField::Window, "harbour").await,
        ["e1", "e2", "e3"]
    );
    let all = ["e1", "e2", "e3", "e4"];
    assert_eq!(found(case, TextField::Session, "harbour").await, all);
    // The one between has both words in its window.
    let hits = case.hits(DocumentKind::Episode, TextField::Window, "meet fine");
    assert_eq!(hits.await[0].id, "e2");
    case.drop().await;
}

async fn a_session_ends_with_a_gap(case: Case<'_>) {
    case.apply(vec![
        put(episode("e1", Some("t"), 0, "harbour")),
        put(episode("e2", Some("t"), 5, "two")),
        put(episode("e3", Some("t"), 11, "three")),
        put(episode("e4", Some("t"), 16, "four")),
    ])
    .await;
    assert_eq!(
        found(case, TextField::Session, "harbour").await,
        ["e1", "e2"]
    );
    assert_eq!(found(case, TextField::Session, "four").await, ["e3", "e4"]);
    assert_eq!(
        found(case, TextField::Window, "three").await,
        ["e2", "e3", "e4"]
    );
    // One that comes late may close the gap.
    case.apply(vec![put(episode("late", Some("t"), 8, "late"))])
        .await;
    let all = ["e1", "e2", "e3", "e4", "late"];
    assert_eq!(found(case, TextField::Session, "harbour").await, all);
    case.apply(vec![erase_episode(Topic::Episodes, "late")])
        .await;
    assert_eq!(
        found(case, TextField::Session, "harbour").await,
        ["e1", "e2"]
    );
    case.drop().await;
}

async fn a_late_episode_takes_its_place(case: Case<'_>) {
    case.apply(vec![
        put(episode("e1", Some("t"), 1, "harbour")),
        put(episode("e3", Some("t"), 3, "three")),
    ])
    .await;
    assert_eq!(
        found(case, TextField::Window, "harbour").await,
        ["e1", "e3"]
    );
    case.apply(vec![put(episode("e2", Some("t"), 2, "two"))])
        .await;
    assert_eq!(
        found(case, TextField::Window, "harbour").await,
        ["e1", "e2"]
    );
    // Equal times: by position.
    let mut same = episode("a", Some("t"), 1, "same");
    same.position = 9;
    case.apply(vec![put(same)]).await;
    assert_eq!(
        found(case, TextField::Window, "two").await,
        ["a", "e2", "e3"]
    );
    case.apply(vec![erase_episode(Topic::Episodes, "a")]).await;
    case.apply(vec![erase_episode(Topic::Episodes, "e2")]).await;
    assert_eq!(
        found(case, TextField::Window, "harbour").await,
        ["e1", "e3"]
    );
    case.drop().await;
}
