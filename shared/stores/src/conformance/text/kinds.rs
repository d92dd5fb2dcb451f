//! What text stands for each kind of document.

use mneme_model::Source;

use super::case::Case;
use crate::conformance::documents::*;
use crate::{Change, DocumentKind, TextField};

pub(super) async fn suite(case: Case<'_>) {
    an_episode_has_its_author_and_day(case).await;
    json_and_facts_have_their_own_words(case).await;
    a_fact_has_its_ends(case).await;
    an_entity_has_its_names_and_summary(case).await;
    a_community_has_its_keywords(case).await;
    kinds_are_apart(case).await;
}

async fn an_episode_has_its_author_and_day(case: Case<'_>) {
    let mut row = written_by(episode("e1", None, 0, "it went well"), "Caroline");
    row.episode.reference_time = "2023-05-08T13:56:00Z".parse().unwrap();
    case.apply(vec![put(row), put(episode("e2", None, 0, "it went well"))])
        .await;
    for text in ["caroline", "8 May 2023", "in May", "2023"] {
        assert_eq!(case.episodes(text).await[0], "e1", "{text}");
    }
    case.drop().await;
}

async fn json_and_facts_have_their_own_words(case: Case<'_>) {
    let json = r#"{"deal": {"owner": "Mira Sand", "stage": "won", "amount": 1250}}"#;
    let mut facts = of_source(episode("facts", None, 1, ""), Source::Facts);
    facts.episode.facts = vec![stated("Ulf likes maps"), stated("Ada owns a ketch")];
    case.apply(vec![
        put(of_source(episode("json", None, 1, json), Source::Json)),
        put(of_source(
            episode("broken", None, 1, "{no json"),
            Source::Json,
        )),
        put(facts),
    ])
    .await;
    for (text, expected) in [
        ("mira", "json"),
        ("deal stage", "json"),
        ("1250", "json"),
        ("no json", "broken"),
        ("ketch", "facts"),
        ("maps", "facts"),
    ] {
        assert_eq!(case.episodes(text).await, [expected], "{text}");
    }
    case.drop().await;
}

async fn a_fact_has_its_ends(case: Case<'_>) {
    let mut row = version("f1", 1, "She signed the lease");
    row.subject.name = "Xenia Brod".to_owned();
    row.relation = "SIGNED_CONTRACT".to_owned();
    row.object = crate::FactObject::Literal(mneme_model::Literal::string("shop four"));
    case.apply(vec![put_version(row)]).await;
    let expected = [id("f1").to_string()];
    for text in ["lease", "xenia", "contract", "four"] {
        assert_eq!(case.ids(DocumentKind::Fact, text).await, expected, "{text}");
    }
    case.drop().await;
}

async fn an_entity_has_its_names_and_summary(case: Case<'_>) {
    let found = async |text| case.ids(DocumentKind::Entity, text).await;
    let ann = [id("ann").to_string()];
    // The summary comes from another topic, before or after its entity.
    case.apply(vec![summary("ann", "a glider pilot")]).await;
    assert!(found("pilot").await.is_empty());
    case.apply(vec![entity("ann", "Ann Lee", &["Annie"], "Person")])
        .await;
    for text in ["lee", "annie", "pilot"] {
        assert_eq!(found(text).await, ann, "{text}");
    }
    case.apply(vec![summary("ann", "a baker")]).await;
    assert!(found("pilot").await.is_empty());
    assert_eq!(found("baker").await, ann);
    case.apply(vec![entity("ann", "Ann Berg", &[], "Person")])
        .await;
    assert!(found("lee").await.is_empty());
    assert_eq!(found("baker").await, ann);

    case.apply(vec![
        entity("bob", "Bob Berg", &[], "Person"),
        merge("ann", "bob"),
    ])
    .await;
    assert_eq!(found("berg").await, [id("bob").to_string()]);
    case.apply(vec![summary("ann", "a diver")]).await;
    assert!(found("diver").await.is_empty());
    case.apply(vec![entity("ann", "Ann Berg", &[], "Person")])
        .await;
    assert_eq!(found("diver").await, ann);
    case.apply(vec![summary("ann", "")]).await;
    assert!(found("diver").await.is_empty());
    case.apply(vec![Change::EraseEntity(id("ann"))]).await;
    assert!(found("ann").await.is_empty());
    case.drop().await;
}

async fn a_community_has_its_keywords(case: Case<'_>) {
    case.apply(vec![community(
        "Sailing club",
        &["ketch"],
        "they sail at night",
    )])
    .await;
    let expected = [id("Sailing club").to_string()];
    for text in ["club", "ketch", "night"] {
        assert_eq!(
            case.ids(DocumentKind::Community, text).await,
            expected,
            "{text}"
        );
    }
    case.apply(vec![community(
        "Sailing club",
        &["sloop"],
        "they sail at noon",
    )])
    .await;
    assert!(case.ids(DocumentKind::Community, "ketch").await.is_empty());
    case.apply(vec![Change::RemoveCommunity(id("Sailing club"))])
        .await;
    assert!(case.ids(DocumentKind::Community, "sloop").await.is_empty());
    case.drop().await;
}

async fn kinds_are_apart(case: Case<'_>) {
    case.apply(vec![
        put(episode("e1", None, 1, "otter")),
        put_version(version("f1", 1, "otter")),
        entity("n1", "otter", &[], "Animal"),
        community("otter", &[], ""),
    ])
    .await;
    let mut found = Vec::new();
    for kind in [
        DocumentKind::Episode,
        DocumentKind::Fact,
        DocumentKind::Entity,
        DocumentKind::Community,
    ] {
        let ids = case.ids(kind, "otter").await;
        assert_eq!(ids.len(), 1, "{kind:?}");
        found.extend(ids);
        if kind != DocumentKind::Episode {
            for field in [TextField::Window, TextField::Session] {
                assert!(case.hits(kind, field, "otter").await.is_empty());
            }
        }
    }
    found.dedup();
    assert_eq!(found.len(), 4);
    case.drop().await;
}
