use std::collections::BTreeMap;

use mneme_events::{Author, ExtractedStatement};
use mneme_model::{EpisodeId, Polarity, TimePoint};

use super::*;
use crate::draft::Reading;
use crate::state::ContextMessage;

fn author(name: &str) -> Author {
    Author {
        name: name.to_owned(),
        role: Some("user".to_owned()),
        external_id: None,
    }
}

fn episode(name: &str, body: &str) -> Episode {
    Episode {
        episode_id: EpisodeId::new("e").unwrap(),
        thread_id: None,
        source: Source::Message,
        author: Some(author(name)),
        body: body.to_owned(),
        facts: Vec::new(),
        reference_time: "2026-05-12T08:31:00Z".parse().unwrap(),
        source_description: None,
        metadata: BTreeMap::new(),
        digest: String::new(),
    }
}

fn reading(name: &str, body: &str, context: &Context) -> Reading {
    let mut draft = Draft::default();
    read(&mut draft, &episode(name, body), context);
    draft.finish()
}

/// Rows as `subject | RELATION | [entity] or value | times`.
fn rows(reading: &Reading) -> Vec<String> {
    let name = |ordinal: i32| reading.mentions[ordinal as usize].name.as_str();
    let row = |statement: &ExtractedStatement| {
        let object = match (&statement.object, &statement.value) {
            (Some(object), _) => format!("[{}]", name(*object)),
            (None, Some(value)) => value.text.clone(),
            (None, None) => String::new(),
        };
        let mut row = format!(
            "{} | {} | {object}",
            name(statement.subject),
            statement.relation
        );
        let time = |point: TimePoint| {
            point.at.to_string()[..10].to_owned() + " " + point.precision.as_str()
        };
        if let Some(point) = statement.valid_at {
            row.push_str(&format!(" | from {}", time(point)));
        }
        let ended = statement.polarity == Polarity::Ended;
        match (ended, statement.invalid_at) {
            (true, Some(point)) => row.push_str(&format!(" | ended {}", time(point))),
            (true, None) => row.push_str(" | ended"),
            (false, Some(point)) => row.push_str(&format!(" | until {}", time(point))),
            (false, None) => {}
        }
        row
    };
    reading.statements.iter().map(row).collect()
}

#[track_caller]
fn check(name: &str, body: &str, expected: &[&str]) -> Reading {
    let reading = reading(name, body, &Context::default());
    assert_eq!(rows(&reading), expected, "{body}");
    reading
}

#[track_caller]
fn fact(name: &str, body: &str, expected: &str) {
    let reading = reading(name, body, &Context::default());
    let facts: Vec<_> = reading.statements.iter().map(|s| s.fact.as_str()).collect();
    assert_eq!(facts, [expected], "{body}");
}

#[test]
fn the_example() {
    for (name, body, expected) in [
        (
            "Ann Lee",
            "No. I no longer use Wharfbook. I use Berthline now.",
            &[
                "Ann Lee | USES | [Wharfbook] | ended",
                "Ann Lee | USES | [Berthline]",
            ] as &[&str],
        ),
        (
            "Lena Voss",
            "Is there a course for the Console? I have worked at Saltmere Marina since 2021 and never had one.",
            &["Lena Voss | WORKS_AT | [Saltmere Marina] | from 2021-01-01 year"],
        ),
        (
            "Lena Voss",
            "Hello again from a new desk. I work at Quillon Hotels now. The lobby schedule ignores public holidays.",
            &["Lena Voss | WORKS_AT | [Quillon Hotels]"],
        ),
        (
            "Ben Ortiz",
            "I met Lena Voss at the harbour fair. She works at Quillon Hotels now.",
            &[
                "Ben Ortiz | MET | [Lena Voss]",
                "Lena Voss | WORKS_AT | [Quillon Hotels]",
            ],
        ),
        (
            "Ben Ortiz",
            "The account owner of Saltmere Marina is now Mara Quist. I keep Quillon Hotels.",
            &["Saltmere Marina | ACCOUNT_OWNER | [Mara Quist]"],
        ),
        (
            "Ivo Hallam",
            "Your parcel with the lamp heads went to our old office. The address of Tern Island Ferries is now 27 Dock Road, Ternhaven.",
            &["Tern Island Ferries | ADDRESS | 27 Dock Road, Ternhaven"],
        ),
        (
            "Nell Sorrow",
            "Can you post the manual to my home? I live in Castlemoor.",
            &["Nell Sorrow | LIVES_IN | [Castlemoor]"],
        ),
        (
            "Nell Sorrow",
            "Please change my postal address. I moved to Porto in April 2026.",
            &["Nell Sorrow | LIVES_IN | [Porto] | from 2026-04-01 month"],
        ),
        (
            "Nell Sorrow",
            "Yes, I work at Orrery Theatre as before. I run rehearsals over video and fly in for each opening.",
            &["Nell Sorrow | WORKS_AT | [Orrery Theatre]"],
        ),
        (
            "Nell Sorrow",
            "Our cue lights lag half a second behind the sound desk. I am the stage manager at Orrery Theatre and opening night is on Friday.",
            &[
                "Nell Sorrow | HAS_ROLE | stage manager",
                "Nell Sorrow | WORKS_AT | [Orrery Theatre]",
            ],
        ),
        (
            "Kit Osei",
            "I own Bramble Kiln Bakery. How do I make the shop window warm at five and bright at seven?",
            &["Kit Osei | OWNS | [Bramble Kiln Bakery]"],
        ),
        (
            "Kit Osei",
            "Yes. I prefer the warm scene all day in winter.",
            &["Kit Osei | PREFERS | warm scene"],
        ),
        (
            "Lena Voss",
            "Good. I prefer mornings. Please put me on the list.",
            &["Lena Voss | PREFERS | mornings"],
        ),
        (
            "Ann Mercer",
            "One more thing: I use Rota Hare for the staff rota. Can the Console read it?",
            &["Ann Mercer | USES | [Rota Hare]"],
        ),
        (
            "Ann Lee",
            "Please give Otis Grane access to the Console. He joined Saltmere Marina yesterday.",
            &["Otis Grane | WORKS_AT | [Saltmere Marina] | from 2026-05-11 day"],
        ),
        (
            "Otis Grane",
            "I can sign in. I work at Saltmere Marina and I report to Ann Lee.",
            &[
                "Otis Grane | WORKS_AT | [Saltmere Marina]",
                "Otis Grane | REPORTS_TO | [Ann Lee]",
            ],
        ),
        (
            "Jonas Weil",
            "No meat. My sister Marit gave me the recipe.",
            &["Marit | SISTER_OF | [Jonas Weil]"],
        ),
        (
            "Tom Ashby",
            "Save me a bowl. I live in Saltmere and the train is late again.",
            &["Tom Ashby | LIVES_IN | [Saltmere]"],
        ),
        (
            "Mara Quist",
            "Good morning all! I joined Tidelamp on 23 February 2026, and this is my first message here.",
            &["Mara Quist | WORKS_AT | [Tidelamp] | from 2026-02-23 day"],
        ),
        (
            "Mara Quist",
            "Thank you. I live in Castlemoor, ten minutes away by bicycle.",
            &["Mara Quist | LIVES_IN | [Castlemoor]"],
        ),
        (
            "Tom Ashby",
            "True. I used to work at Vandermoor Logistics. Their yard is dark from four in winter.",
            &["Tom Ashby | WORKS_AT | [Vandermoor Logistics] | ended"],
        ),
        (
            "Ben Ortiz",
            "Otis Grane. He is the new electrical engineer.",
            &["Otis Grane | HAS_ROLE | electrical engineer"],
        ),
    ] {
        check(name, body, expected);
    }
}

#[test]
fn what_is_no_fact() {
    for body in [
        "I might move to Lisbon next year, so no sofa for me.",
        "Two of our hotels close for repairs until spring. We would like to go back to the smaller plan.",
        "That is far from the stage! Do you still work at the theatre?",
        "Otis Grane has access. Should he see the berth calendar from Wharfbook as well?",
        "The credit note arrived. I work from home on Fridays, so please send invoices by email.",
        "Good to know. I have removed the Wharfbook link from your page.",
        "No, only pier 3. Lena Voss tested the cables yesterday and they are fine.",
        "Priya Nand stood in for two weeks while Olga Renn was away.",
        "I am moving to Ternhaven in October. Does anyone need a sofa?",
        "Can you set it from your side? I am in Bergen until Thursday.",
        "If I lived in Porto I would work at Acme.",
        "I think Bob works at Acme.",
        "She said she lives in Porto.",
        "I want to live in Porto.",
        "I will join Acme in May.",
        "I don't work at Acme.",
        "I have never lived in Porto.",
        "I wish I worked at Acme.",
        "\"I work at Acme\" is what he said.",
        "> I work at Acme.\nReally.",
        "I worked at Acme.",
        "When I lived in Porto I was happy.",
        "I was living in Porto.",
        "Tuesday works for Bob.",
        "I love it. I like that. I love you all.",
        "He works at Acme.",
        "I used Wharfbook once.",
        "Maybe I live in Porto now.",
        "I work at Acme if they pay.",
        "I would love to visit Porto.",
        "I have a question. I have a meeting on Monday.",
        "My former boss Anna called.",
        "The owner of the shop is away.",
        "I left Acme at five.",
        "I am going to Acme on Monday.",
        "We use Rota Hare.",
        "I hope you live in Porto.",
    ] {
        check("Ann Lee", body, &[]);
    }
}

#[test]
fn starts_and_ends() {
    for (body, expected) in [
        (
            "I joined Acme in 2021.",
            &["Ann Lee | WORKS_AT | [Acme] | from 2021-01-01 year"] as &[&str],
        ),
        (
            "I joined the Castlemoor Rowing Club last month.",
            &["Ann Lee | MEMBER_OF | [Castlemoor Rowing Club] | from 2026-04-01 month"],
        ),
        (
            "I quit Acme in March.",
            &["Ann Lee | WORKS_AT | [Acme] | ended 2026-03-01 month"],
        ),
        (
            "I stopped using Skerry last week.",
            &["Ann Lee | USES | [Skerry] | ended 2026-05-04 day"],
        ),
        (
            "I don't use Skerry any more.",
            &["Ann Lee | USES | [Skerry] | ended"],
        ),
        (
            "I haven't used Skerry since May 2020.",
            &["Ann Lee | USES | [Skerry] | ended 2020-05-01 month"],
        ),
        (
            "I worked at Acme until 2019.",
            &["Ann Lee | WORKS_AT | [Acme] | ended 2019-01-01 year"],
        ),
        (
            "I worked at Acme from 2010 to 2015.",
            &["Ann Lee | WORKS_AT | [Acme] | from 2010-01-01 year | until 2015-01-01 year"],
        ),
        (
            "I've lived in Porto for five years.",
            &["Ann Lee | LIVES_IN | [Porto] | from 2021-01-01 year"],
        ),
        (
            "I moved from Ghent to Porto in 2020.",
            &[
                "Ann Lee | LIVES_IN | [Ghent] | ended 2020-01-01 year",
                "Ann Lee | LIVES_IN | [Porto] | from 2020-01-01 year",
            ],
        ),
        (
            "Last year I moved to Porto.",
            &["Ann Lee | LIVES_IN | [Porto] | from 2025-01-01 year"],
        ),
        (
            "I switched from Skerry to Berthline.",
            &[
                "Ann Lee | USES | [Skerry] | ended",
                "Ann Lee | USES | [Berthline]",
            ],
        ),
        (
            "I started working at Acme in January.",
            &["Ann Lee | WORKS_AT | [Acme] | from 2026-01-01 month"],
        ),
        (
            "I married Bo Kay in 2019.",
            &["Ann Lee | MARRIED_TO | [Bo Kay] | from 2019-01-01 year"],
        ),
        (
            "I graduated from the University of Porto in 2012.",
            &["Ann Lee | GRADUATED_FROM | [University of Porto] | from 2012-01-01 year"],
        ),
        (
            "I live in Porto until Friday.",
            &["Ann Lee | LIVES_IN | [Porto] | until 2026-05-15 day"],
        ),
        (
            "I joined Acme on 20 May.",
            &["Ann Lee | WORKS_AT | [Acme] | from 2025-05-20 day"],
        ),
        ("I didn't work at Acme until 2019.", &[]),
        ("I was born in Porto.", &["Ann Lee | BORN_IN | [Porto]"]),
    ] {
        check("Ann Lee", body, expected);
    }
}

#[test]
fn states() {
    for (body, expected) in [
        ("I'm a nurse.", &["Ann Lee | HAS_ROLE | nurse"] as &[&str]),
        ("I am vegetarian.", &["Ann Lee | DIET | vegetarian"]),
        (
            "I'm from Porto and I speak Dutch.",
            &["Ann Lee | FROM | [Porto]", "Ann Lee | SPEAKS | Dutch"],
        ),
        (
            "I love hiking in the mountains.",
            &["Ann Lee | LIKES | hiking in the mountains"],
        ),
        ("I don't like olives.", &["Ann Lee | DISLIKES | olives"]),
        ("I have two dogs and a cat.", &["Ann Lee | HAS | two dogs"]),
        (
            "My favourite colour is green.",
            &["Ann Lee | FAVOURITE_COLOUR | green"],
        ),
        (
            "Saltmere's account manager is Mara Quist.",
            &["Saltmere | ACCOUNT_MANAGER | [Mara Quist]"],
        ),
        (
            "Bo Kay is my husband.",
            &["Bo Kay | MARRIED_TO | [Ann Lee]"],
        ),
        ("My dog Rex barks.", &["Ann Lee | HAS_PET | [Rex]"]),
        ("Bo Kay works at Acme.", &["Bo Kay | WORKS_AT | [Acme]"]),
        (
            "I live in Porto and work at Acme.",
            &[
                "Ann Lee | LIVES_IN | [Porto]",
                "Ann Lee | WORKS_AT | [Acme]",
            ],
        ),
        (
            "I'm married to Bo Kay.",
            &["Ann Lee | MARRIED_TO | [Bo Kay]"],
        ),
        (
            "I use Skerry and Berthline.",
            &["Ann Lee | USES | [Skerry]", "Ann Lee | USES | [Berthline]"],
        ),
        (
            "I visited Porto in March.",
            &["Ann Lee | VISITED | [Porto] | from 2026-03-01 month"],
        ),
        (
            "I'm a member of the Rowing Club.",
            &["Ann Lee | MEMBER_OF | [Rowing Club]"],
        ),
    ] {
        check("Ann Lee", body, expected);
    }
}

#[test]
fn sentences_of_facts() {
    fact(
        "Ann Lee",
        "I no longer use Wharfbook.",
        "Ann Lee no longer uses Wharfbook",
    );
    fact("Ann Lee", "I use Berthline now.", "Ann Lee uses Berthline");
    fact(
        "Ann Lee",
        "Yes, I work at Orrery Theatre as before.",
        "Ann Lee works at Orrery Theatre",
    );
    fact(
        "Ann Lee",
        "I don't like my neighbours.",
        "Ann Lee doesn't like their neighbours",
    );
    fact(
        "Ann Lee",
        "I've lived in Porto since 2020.",
        "Ann Lee has lived in Porto since 2020",
    );
    fact("Ann Lee", "I'm a nurse.", "Ann Lee is a nurse");
    fact("Ann Lee", "I joined Acme yesterday.", "Ann Lee joined Acme");
    fact(
        "Ann Lee",
        "My sister Marit sings.",
        "Marit is Ann Lee's sister",
    );
    fact(
        "Ann Lee",
        "The address of Acme is now 2 Quay, Porto.",
        "The address of Acme is 2 Quay, Porto",
    );
}

#[test]
fn who_is_meant() {
    let message = |name: &str, text: &str| ContextMessage {
        author: Some(author(name)),
        text: text.to_owned(),
        reference_time: "2026-05-12T08:00:00Z".parse().unwrap(),
    };
    let context = Context {
        messages: vec![message("Bo Kay", "Lena Voss called.")],
        authors: vec![author("Bo Kay")],
        ..Context::default()
    };
    let read = |body: &str| rows(&reading("Ann Lee", body, &context));
    assert_eq!(
        read("She lives in Porto."),
        ["Lena Voss | LIVES_IN | [Porto]"]
    );
    assert_eq!(read("You live in Porto."), ["Bo Kay | LIVES_IN | [Porto]"]);
    assert_eq!(read("Bo lives in Porto."), ["Bo Kay | LIVES_IN | [Porto]"]);
    assert_eq!(
        read("Lena lives in Porto."),
        ["Lena Voss | LIVES_IN | [Porto]"]
    );
    assert_eq!(
        read("Mara Quist and Otis Grane called. She lives in Porto."),
        Vec::<String>::new()
    );
    let crowd = Context {
        authors: vec![author("Bo Kay"), author("Cy Dee")],
        ..Context::default()
    };
    assert!(
        reading("Ann Lee", "You live in Porto.", &crowd)
            .statements
            .is_empty()
    );
}

#[test]
fn mentions_and_aliases() {
    let names = |body: &str| -> Vec<String> {
        let reading = reading("Ann Lee", body, &Context::default());
        let show = |mention: &mneme_events::Mention| {
            let mut shown = mention.name.clone();
            for alias in &mention.aliases {
                shown.push_str(&format!(" = {alias}"));
            }
            shown
        };
        reading.mentions.iter().skip(1).map(show).collect()
    };
    assert_eq!(names("Lena Voss tested the cables."), ["Lena Voss"]);
    assert_eq!(
        names("I flew to NYC, i.e. New York City, today."),
        ["New York City = NYC"]
    );
    assert_eq!(
        names("We met Robert (Bob) Smith."),
        ["Robert Smith = Bob Smith"]
    );
    assert_eq!(
        names("It is by the Castlemoor Rowing Club (CRC)."),
        ["Castlemoor Rowing Club = CRC"]
    );
    assert_eq!(
        names("They use Quillon Hotels, also known as Quillon."),
        ["Quillon Hotels = Quillon"]
    );
    let reading = reading("Ann Lee", "Hello there!", &Context::default());
    assert_eq!(reading.mentions.len(), 1);
    assert!(reading.mentions[0].speaker);
}

#[test]
fn what_is_too_long_to_be_prose_is_noted() {
    let body = format!("I live in Porto {}. I work at Acme.", "and Bo ".repeat(400));
    let reading = check("Ann Lee", &body, &["Ann Lee | WORKS_AT | [Acme]"]);
    assert!(reading.notes[0].contains("sentence"), "{:?}", reading.notes);
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_and_twice_the_same(body in "([A-Z]?[a-z']{1,6}|[ .,?!()0-9“\"-]| and | I | is | at | in | since |my |é|日){0,30}") {
        let first = reading("Ann Lee", &body, &Context::default());
        let second = reading("Ann Lee", &body, &Context::default());
        proptest::prop_assert_eq!(rows(&first), rows(&second));
    }
}
