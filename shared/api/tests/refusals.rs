//! What is wrong in a request is named by its field.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

use axum::Router;
use axum::body::Body as HttpBody;
use axum::http::{Request, StatusCode};
use axum::routing::{get, post};
use mneme_api::{
    Body, ContextRequest, EpisodeBody, EpisodePath, FactsParams, OntologyDto, Params, Problem,
    ProblemCode, REQUEST_BYTES, SearchRequest, from_json, from_query, from_value,
};
use tower::ServiceExt;

fn refused<T: serde::de::DeserializeOwned>(json: &str) -> Problem {
    match from_json::<T>(json.as_bytes()) {
        Ok(_) => panic!("taken: {json}"),
        Err(problem) => problem,
    }
}

fn field_of(json: &str) -> String {
    let problem = refused::<EpisodeBody>(json);
    assert_eq!(problem.code, ProblemCode::InvalidField, "{problem}");
    problem.field.unwrap()
}

#[test]
fn the_field_is_named_whatever_is_wrong_with_it() {
    let with = |extra: &str| {
        format!(
            r#"{{"group_id":"g","source":"facts","reference_time":"2024-01-01T00:00:00Z"{extra}}}"#
        )
    };
    assert!(from_json::<EpisodeBody>(with("").as_bytes()).is_ok());
    assert_eq!(field_of(&with(r#","colour":"mauve""#)), "colour");
    assert_eq!(field_of(&with(r#","facts":{"subject":"Nils"}"#)), "facts");
    let facts = |inner: &str| {
        with(&format!(
            r#","facts":[{{"subject":"A","relation":"R","object":"B","fact":"A r B"{inner}}}]"#
        ))
    };
    assert_eq!(
        field_of(&facts(r#","valid_at":"2024-13-01""#)),
        "facts[0].valid_at"
    );
    assert_eq!(
        field_of(&facts(r#","polarity":"perhaps""#)),
        "facts[0].polarity"
    );
    assert_eq!(field_of(&facts(r#","weight":1"#)), "facts[0].weight");
    assert_eq!(
        field_of(&with(r#","facts":[{"subject":"A"}]"#)),
        "facts[0].relation"
    );
    assert_eq!(
        field_of(r#"{"source":"text","reference_time":"2024"}"#),
        "group_id"
    );
    for group in ["null", "\"\"", "7", "\"a/b\"", "\"team\\n\""] {
        let json = with("").replace("\"g\"", group);
        assert_eq!(field_of(&json), "group_id", "{group}");
    }
    let json = with("").replace("2024-01-01T00:00:00Z", "2024-02-30T10:00:00Z");
    assert_eq!(field_of(&json), "reference_time");
}

#[test]
fn a_number_that_would_be_rounded_is_refused() {
    let with = |number: &str| {
        format!(
            r#"{{"group_id":"g","source":"json","reference_time":"2024-01-01T00:00:00Z","body":{{"ids":[{number}]}}}}"#
        )
    };
    for number in ["18446744073709551617", "-9223372036854775809", "1e300"] {
        assert!(field_of(&with(number)).starts_with("body"), "{number}");
    }
    for number in [
        "18446744073709551615",
        "-9223372036854775808",
        "0.1",
        "1e3",
        "4.5e15",
    ] {
        let read = mneme_api::from_json::<mneme_api::EpisodeBody>(with(number).as_bytes());
        assert!(read.is_ok(), "{number}");
    }
}

#[test]
fn an_array_is_no_object() {
    for json in [r#"[["g"],"q"]"#, "[]", "7", r#""text""#] {
        let problem = refused::<SearchRequest>(json);
        assert_eq!(problem.code, ProblemCode::Malformed, "{json}");
        assert!(problem.detail.contains("an object"), "{problem}");
    }
    let with = |extra: &str| {
        format!(
            r#"{{"group_id":"g","source":"facts","reference_time":"2024-01-01T00:00:00Z"{extra}}}"#
        )
    };
    assert_eq!(field_of(&with(r#","author":["Ann"]"#)), "author");
    let statement = r#","facts":[{"subject":"A","relation":"R","object":"B","fact":"A r B"},
        ["A",null,null,"R"]]"#;
    assert_eq!(field_of(&with(statement)), "facts[1]");
    let problem = refused::<OntologyDto>(r#"{"relations":{"R":["many"]}}"#);
    assert_eq!(problem.field.as_deref(), Some("relations.R"));
    let problem = from_value::<EpisodeBody>(serde_json::json!(["g"])).unwrap_err();
    assert_eq!(problem.code, ProblemCode::Malformed);
    // What may be any value stays what it was.
    let body = with(r#","body":[["a"],1],"metadata":{"list":[1,{"x":[]}]}"#);
    let read: EpisodeBody = from_json(body.as_bytes()).unwrap();
    assert_eq!(read.body, Some(serde_json::json!([["a"], 1])));
}

#[test]
fn what_is_no_json_is_malformed() {
    let refused = |json| refused::<EpisodeBody>(json).code;
    for json in [
        "",
        "{\"group_id\": \"g\", ",
        "[]",
        "null",
        "{} {}",
        "\u{feff}{}",
    ] {
        let code = refused(json);
        let expected = [ProblemCode::Malformed, ProblemCode::InvalidField];
        assert!(expected.contains(&code), "{json}");
    }
    let json = r#"{"group_id":"g","source":"text","reference_time":"2024","body":"half \udc4d"}"#;
    assert_eq!(refused(json), ProblemCode::Malformed);
}

#[test]
fn a_search_names_its_groups() {
    let field = |json| refused::<SearchRequest>(json).field.unwrap();
    assert_eq!(field(r#"{"query":"tea"}"#), "group_ids");
    assert_eq!(field(r#"{"group_ids":null,"query":"tea"}"#), "group_ids");
    assert_eq!(field(r#"{"group_ids":["a",""]}"#), "group_ids[1]");
    assert_eq!(field(r#"{"group_ids":["g"],"query":7}"#), "query");
    assert_eq!(field(r#"{"group_ids":["g"],"filters":{}}"#), "filters");
    assert_eq!(
        field(r#"{"group_ids":["g"],"scopes":["moods"]}"#),
        "scopes[0]"
    );
    let none: SearchRequest = from_json(br#"{"group_ids":[]}"#).unwrap();
    assert_eq!(
        none.scope().unwrap_err().field.as_deref(),
        Some("group_ids")
    );
    let context: ContextRequest =
        from_json(br#"{"group_ids":["g"],"query":"tea","max_tokens":7}"#).unwrap();
    assert_eq!(context.into_search().1, Some(7));
}

#[test]
fn parameters_are_refused_like_fields() {
    let field = |query| from_query::<FactsParams>(query).unwrap_err().field.unwrap();
    assert_eq!(field("as_of=soon"), "as_of");
    assert_eq!(field("colour=mauve"), "colour");
    assert_eq!(field("limit=-1"), "limit");
    assert_eq!(field("include_past=perhaps"), "include_past");
    for empty in [
        "limit",
        "after",
        "as_of",
        "include_past",
        "subject",
        "colour",
    ] {
        for query in [
            format!("relation=R&{empty}="),
            format!("{empty}&relation=R"),
        ] {
            let problem = from_query::<FactsParams>(&query).unwrap_err();
            assert_eq!(problem.field.as_deref(), Some(empty), "{query}");
        }
    }
    let read: FactsParams =
        from_query("as_of=2024-03-01T10:00:00+02:00&include_past=true&limit=5").unwrap();
    assert_eq!(read.as_of, Some("2024-03-01T08:00:00Z".parse().unwrap()));
    assert_eq!((read.include_past, read.limit), (Some(true), Some(5)));
    assert_eq!(read.after, None);
    assert_eq!(
        from_query::<FactsParams>("").unwrap(),
        FactsParams::default()
    );
}

async fn ask(request: Request<HttpBody>) -> StatusCode {
    let router = Router::new()
        .route("/search", post(|Body(_): Body<SearchRequest>| async {}))
        .route("/facts", get(|Params(_): Params<FactsParams>| async {}))
        .route(
            "/v1/groups/{group_id}/episodes/{episode_id}",
            get(|path: EpisodePath| async move { path.episode_id.to_string() }),
        );
    router.oneshot(request).await.unwrap().status()
}

fn post_search(content_type: Option<&str>, body: Vec<u8>) -> Request<HttpBody> {
    let mut request = Request::post("/search");
    if let Some(content_type) = content_type {
        request = request.header("content-type", content_type);
    }
    request.body(HttpBody::from(body)).unwrap()
}

#[tokio::test]
async fn the_extractors_answer_with_the_status_of_the_problem() {
    let good = br#"{"group_ids":["g"]}"#.to_vec();
    assert_eq!(ask(post_search(None, good.clone())).await, 200);
    let json = Some("application/json; charset=utf-8");
    assert_eq!(ask(post_search(json, good.clone())).await, 200);
    assert_eq!(ask(post_search(Some("text/plain"), good)).await, 415);
    assert_eq!(
        ask(post_search(json, vec![b' '; REQUEST_BYTES + 1])).await,
        413
    );
    let get = |path: &str| Request::get(path).body(HttpBody::empty()).unwrap();
    assert_eq!(ask(get("/facts?limit=x")).await, 400);
    assert_eq!(ask(get("/v1/groups/a%2Fb/episodes/e")).await, 400);
    assert_eq!(ask(get("/v1/groups/%ff/episodes/e")).await, 400);
    assert_eq!(ask(get("/v1/groups/g/episodes/e%231")).await, 200);
}
