//! What vectors find: by meaning, by raw cosine, in each kind; windows.

use super::case::{Case, cosine, query};
use crate::conformance::documents::*;
use crate::{DocumentKind, VectorQuery};

pub(super) async fn suite(case: Case<'_>) {
    the_nearest_in_meaning_comes_first(case).await;
    cosines_are_raw(case).await;
    what_has_no_meaning_is_no_hit(case).await;
    a_vector_of_another_model_is_refused(case).await;
    neighbours_lend_their_meaning(case).await;
    vectors_are_given_for_documents(case).await;
}

async fn the_nearest_in_meaning_comes_first(case: Case<'_>) {
    case.apply(vec![
        put(episode("kitten", None, 1, "I got a new kitten")),
        put(episode("laptop", None, 1, "I got a new laptop")),
        put(episode("invoice", None, 1, "the invoice was paid")),
        put_version(version("home", 1, "her home is in Porto")),
        put_version(version("bill", 1, "the invoice was paid")),
        entity("hospital", "hospital", &[], "Place"),
        entity("guitar", "guitar", &[], "Thing"),
        community("Sailing and boats", &[], ""),
        community("Taxes", &[], ""),
    ])
    .await;
    for (kind, text, expected) in [
        (
            DocumentKind::Episode,
            "What pets does Tom have?",
            "kitten".to_owned(),
        ),
        (
            DocumentKind::Fact,
            "where does she live",
            id("home").to_string(),
        ),
        (
            DocumentKind::Entity,
            "a doctor works there",
            id("hospital").to_string(),
        ),
        (
            DocumentKind::Community,
            "ships",
            id("Sailing and boats").to_string(),
        ),
    ] {
        let hits = case.hits(kind, text).await;
        assert_eq!(hits[0].id, expected, "{text}");
        assert!(hits.is_sorted_by(|a, b| a.cosine >= b.cosine));
    }
    case.drop().await;
}

async fn cosines_are_raw(case: Case<'_>) {
    let texts = ["a small boat", "the old lamp", "milk and coffee"];
    let rows = texts.map(|text| put_version(version(text, 1, text)));
    case.apply(rows.to_vec()).await;
    let asked = case.embed("coffee with milk");
    // The length of a query is of no account.
    let longer: Vec<f32> = asked.iter().map(|x| x * 3.0).collect();
    for vector in [&asked, &longer] {
        let scope = scope(&["g"]);
        let hits = case
            .search(&query(&scope, DocumentKind::Fact, vector))
            .await;
        assert_eq!(hits.len(), 3);
        for text in texts {
            let hit = hits.iter().find(|hit| hit.id == id(text).to_string());
            let expected = cosine(&asked, &case.embed(text));
            assert!((hit.unwrap().cosine - expected).abs() < 1e-4, "{text}");
        }
    }
    let scope = scope(&["g"]);
    let near = VectorQuery {
        min_cosine: 0.5,
        ..query(&scope, DocumentKind::Fact, &asked)
    };
    let hits = case.search(&near).await;
    assert_eq!(hits.len(), 1);
    assert_eq!(hits[0].id, id("milk and coffee").to_string());
    case.drop().await;
}

async fn what_has_no_meaning_is_no_hit(case: Case<'_>) {
    let silent = "\u{200b}";
    assert!(
        case.embed(silent).iter().all(|x| *x == 0.0),
        "the model knows it"
    );
    case.apply(vec![
        put_version(version("silent", 1, silent)),
        put_version(version("lamp", 1, "lamp")),
    ])
    .await;
    assert_eq!(
        case.ids(DocumentKind::Fact, "lamp").await,
        [id("lamp").to_string()]
    );
    assert!(case.ids(DocumentKind::Fact, silent).await.is_empty());
    // A text that becomes silent loses its vector.
    case.apply(vec![put_version(version("lamp", 1, silent))])
        .await;
    assert!(case.ids(DocumentKind::Fact, "lamp").await.is_empty());
    let name = id("lamp").to_string();
    assert_eq!(case.vectors(DocumentKind::Fact, &[&name]).await, [None]);
    case.drop().await;
}

async fn a_vector_of_another_model_is_refused(case: Case<'_>) {
    case.apply(vec![put(episode("e1", None, 1, "lamp"))]).await;
    let (scope, vector) = (scope(&["g"]), [1.0, 0.0, 0.0]);
    let query = query(&scope, DocumentKind::Episode, &vector);
    let refused = case.store.search(case.generation, &query).await;
    assert!(matches!(refused, Err(crate::StoreError::Refused(_))));
    case.drop().await;
}

async fn neighbours_lend_their_meaning(case: Case<'_>) {
    case.apply(vec![
        put(episode("e1", Some("t"), 1, "I got a new kitten")),
        put(episode("e2", Some("t"), 2, "Really? Tell me")),
        put(episode("e3", Some("t"), 3, "the invoice was paid")),
        put(episode("x", Some("other"), 2, "the tax office called")),
    ])
    .await;
    let window = async |text, name: &str| {
        let hits = case.windows(text).await;
        hits.iter().find(|hit| hit.id == name).unwrap().cosine
    };
    let (asked, texts) = (
        case.embed("pets"),
        [
            "I got a new kitten",
            "Really? Tell me",
            "the invoice was paid",
        ]
        .map(|t| case.embed(t)),
    );
    let mean = |of: &[Vec<f32>]| {
        let mut sum = vec![0.0; asked.len()];
        for vector in of {
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += x);
        }
        mneme_inference::normalise(&mut sum);
        cosine(&asked, &sum)
    };
    assert!((window("pets", "e2").await - mean(&texts)).abs() < 1e-3);
    assert!((window("pets", "e1").await - mean(&texts[..2])).abs() < 1e-3);
    // A late episode takes its place, and gives it up.
    let late = episode("late", Some("t"), 1, "x");
    let mut late_row = late;
    late_row.position = 9;
    late_row.episode.body = "my cat and my dog".to_owned();
    let before = window("pets", "e2").await;
    case.apply(vec![put(late_row)]).await;
    assert!(window("pets", "e2").await > before);
    case.apply(vec![erase_episode(mneme_events::Topic::Episodes, "late")])
        .await;
    assert!((window("pets", "e2").await - before).abs() < 1e-6);
    // Alone, a window is the episode.
    let own = case.hits(DocumentKind::Episode, "pets").await;
    let own = own.iter().find(|hit| hit.id == "x").unwrap().cosine;
    assert!((window("pets", "x").await - own).abs() < 1e-4);
    case.drop().await;
}

async fn vectors_are_given_for_documents(case: Case<'_>) {
    case.apply(vec![
        put(episode("e1", None, 1, "a small boat")),
        put_version(version("f1", 1, "the old lamp")),
        entity("n", "Ann", &[], "Person"),
    ])
    .await;
    let near = |found: &Option<Vec<f32>>, text: &str| {
        let found = found.as_ref().expect("a vector");
        (cosine(found, &case.embed(text)) - 1.0).abs() < 1e-3
    };
    let found = case.vectors(DocumentKind::Episode, &["none", "e1"]).await;
    assert!(found[0].is_none() && near(&found[1], "a small boat"));
    let ids = [id("f1").to_string(), "no id".to_owned()];
    let found = case.vectors(DocumentKind::Fact, &[&ids[0], &ids[1]]).await;
    assert!(near(&found[0], "the old lamp") && found[1].is_none());
    case.apply(vec![merge("n", "other")]).await;
    let name = id("n").to_string();
    assert_eq!(case.vectors(DocumentKind::Entity, &[&name]).await, [None]);
    case.drop().await;
}
