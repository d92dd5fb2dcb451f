//! What other systems publish straight to Kafka is found: an event in Avro by way of Mneme's own topic,
//! and raw JSON on a topic of their own by way of `mneme run intake`. Both by the example programs in
//! Rust and, where MNEME_PYTHON names an interpreter with their packages, by those in Python. Needs
//! `make servers-up` and MNEME_SERVERS=1.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a panic is the report of a test"
)]

mod support;

use reqwest::Method;
use serde_json::json;

use mneme_conformance::{Instance, Kafka, SKIPPED};
use support::{Company, Sent};

#[tokio::test(flavor = "multi_thread")]
async fn what_producers_publish_is_found() {
    let Some(kafka) = Kafka::find() else {
        eprintln!("{SKIPPED}");
        return;
    };
    // The producers' topics are not there yet: they are taken up when they are made.
    let company = Company::start(kafka).await;
    let programs = company.programs();
    assert!(!programs.is_empty());
    for program in &programs {
        let group = format!("company-{}", program.name);
        let said = [
            "--group",
            &group,
            "--author",
            "Ola Brandt",
            "I moved to Saltmere in August 2026.",
        ];
        program.send_episode(&said).await;
        program.send_contacts(&company.contacts, &group).await;
        company
            .finds(&group, "where does Ola Brandt live", "Saltmere")
            .await;
        company
            .finds(&group, "Petra Lind job title", "Technical director")
            .await;
        // What comes again adds nothing.
        program.send_episode(&said).await;
        program.send_contacts(&company.contacts, &group).await;
        let last = company.contact(&group, 900, "Last Caller");
        company.publish(&[Sent::new(&group, 0, &last)]).await;
        company.has_done(&group, 4).await;
        for id in [
            "crm-contact-401-1",
            "crm-contact-401-2",
            "crm-contact-900-1",
        ] {
            assert_eq!(company.received(&group, id).await, 1, "{group} {id}");
        }
    }
    company.server.stop().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_episode_is_a_dead_letter_and_the_rest_goes_on() {
    let Some(kafka) = Kafka::find() else {
        eprintln!("{SKIPPED}");
        return;
    };
    let company = Company::start(kafka).await;
    company.make_topic().await;
    let group = "company-bad";
    let good = |id: u32, name: &str| company.contact(group, id, name);
    let mut untimed = good(2, "No Time");
    untimed.as_object_mut().unwrap().remove("updated_at");
    let mut untimed_too = good(6, "Forgotten Person");
    untimed_too.as_object_mut().unwrap().remove("updated_at");
    let mut changed = good(1, "First Person");
    changed["title"] = json!("Another title under the same version");
    let mut large = good(4, "Too Large");
    large["notes"] = json!("n".repeat(300 << 10));
    // All on one partition, so that each stands before the good one behind it.
    let sent = [
        Sent::new(group, 1, &good(1, "First Person")),
        Sent::raw(Some(group), 1, b"{\"tenant\": \"company-bad\", \xff"),
        Sent::new(group, 1, &untimed),
        Sent::raw(None, 1, good(3, "No Key").to_string().as_bytes()),
        Sent::new(group, 1, &changed),
        Sent::new(group, 1, &large),
        Sent::empty(group, 1),
        Sent::new(group, 1, &untimed_too),
        Sent::new(group, 1, &good(5, "Person Behind")),
    ];
    let offsets = company.publish(&sent).await;
    company
        .finds(group, "who is Person Behind", "Person Behind")
        .await;
    company.has_done(group, 2).await;

    let letters = company.letters().await;
    let unknown = "mneme.unknown";
    let expected = [
        (1, unknown, "no JSON"),
        (2, group, "reference_time"),
        (3, unknown, "no key"),
        (4, group, "other content"),
        (5, group, "bytes"),
        (6, unknown, "no value"),
        (7, group, "reference_time"),
    ];
    assert_eq!(letters.len(), expected.len(), "{letters:?}");
    for (index, of, reason) in expected {
        let at = |letter: &&serde_json::Value| letter["source_offset"] == json!(offsets[index]);
        let letter = letters.iter().find(at).unwrap();
        assert_eq!(letter["stage"], "intake", "{letter}");
        assert_eq!(letter["kind"], "intake", "{letter}");
        assert_eq!(letter["source_topic"], json!(company.contacts), "{letter}");
        assert_eq!(letter["source_partition"], 1, "{letter}");
        assert_eq!(letter["group_id"], of, "{letter}");
        let told = letter["reason"].as_str().unwrap();
        assert!(told.contains(reason), "{letter}");
        assert!(
            !told.contains("Person") && !told.contains("Time"),
            "{letter}"
        );
    }

    // With another mapping some are taken: once, and not what was erased since.
    let at = |index: usize| {
        let offset = json!(offsets[index]);
        let mut letters = letters.iter();
        letters.find(|letter| letter["source_offset"] == offset)
    };
    let (no_json, no_time, forgotten) = (at(1).unwrap(), at(2).unwrap(), at(7).unwrap());
    let (status, reason) = company.replay(no_time).await;
    assert_eq!(status, 409, "{reason}");
    let constant = "reference_time = \"2026-05-01T00:00:00Z\"";
    company
        .mend_mappings("reference_time = \"$.updated_at\"", constant)
        .await;
    assert_eq!(company.replay(no_json).await.0, 409, "it is still no JSON");
    let (status, reason) = company.replay(no_time).await;
    assert_eq!(status, 200, "{reason}");
    company.finds(group, "who is No Time", "No Time").await;
    assert_eq!(company.replay(no_time).await.0, 409, "it was replayed");
    let client = company.server.client();
    let path = ["v1", "groups", group];
    let erased = client.write(Method::DELETE, &path, None).await.unwrap();
    assert!(erased.is_success(), "{}", erased.brief());
    let (status, reason) = company.replay(forgotten).await;
    assert_eq!(status, 409, "{reason}");
    assert!(reason.contains("erased"), "{reason}");
    company.server.stop().await.unwrap();
}

/// Waits a moment, and starts what ended by itself: a word of the process that was killed, which the
/// broker hears late, may put the next one out of its place.
async fn supervise(intake: &Instance) {
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    if intake.ended().await.unwrap().is_some() {
        intake.start().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_intake_loses_and_doubles_nothing() {
    const GROUPS: u32 = 4;
    const OF_EACH: u32 = 300;
    let Some(kafka) = Kafka::find() else {
        eprintln!("{SKIPPED}");
        return;
    };
    let company = Company::start(kafka).await;
    company.make_topic().await;
    let group = |number: u32| format!("company-killed-{number}");
    let mut sent = Vec::new();
    for id in 0..OF_EACH {
        for number in 0..GROUPS {
            let group = group(number);
            let contact = company.contact(&group, 1_000 + id, &format!("Caller {id}"));
            sent.push(Sent::new(&group, (number % 2) as i32, &contact));
        }
        if id % 50 == 0 {
            let name = group(0);
            sent.push(Sent::raw(
                Some(&name),
                0,
                format!("no json {id}").as_bytes(),
            ));
        }
    }
    let bad = OF_EACH.div_ceil(50) as usize;
    let all = (GROUPS * OF_EACH) as usize;
    let intake = company.instance("intake");
    let publishing = async {
        for some in sent.chunks(20) {
            company.publish(some).await;
        }
    };
    let killing = async {
        for wanted in [20, 400, 800] {
            while company.all_received().await.len() < wanted {
                supervise(intake).await;
            }
            intake.kill().await.unwrap();
            intake.start().await.unwrap();
        }
        while company.all_received().await.len() < all {
            supervise(intake).await;
        }
    };
    let both = async { tokio::join!(publishing, killing) };
    let patience = std::time::Duration::from_secs(240);
    tokio::time::timeout(patience, both).await.unwrap();
    for number in 0..GROUPS {
        company.has_done(&group(number), OF_EACH as usize).await;
    }
    // In the order in which they were sent, each once.
    let received = company.all_received().await;
    for number in 0..GROUPS {
        let group = group(number);
        let of_group = received.iter().filter(|(key, _)| *key == group);
        let ids: Vec<&str> = of_group.map(|(_, id)| id.as_str()).collect();
        let expected: Vec<String> = (0..OF_EACH)
            .map(|id| format!("crm-contact-{}-1", 1_000 + id))
            .collect();
        assert_eq!(ids, expected, "{group}");
    }
    assert_eq!(company.letters().await.len(), bad);

    // While it can't be told whether an episode is known, its record waits.
    let query = company.instance("query");
    query.kill().await.unwrap();
    let last = company.contact(&group(1), 9_000, "Last Caller");
    company.publish(&[Sent::new(&group(1), 1, &last)]).await;
    company.says_that_records_wait().await;
    query.start().await.unwrap();
    company.has_done(&group(1), OF_EACH as usize + 1).await;
    company.server.stop().await.unwrap();
}
