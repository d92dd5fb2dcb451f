#![allow(missing_docs)]
use mneme_events::*;
use mneme_extractor::*;
use mneme_model::*;
use mneme_stage::*;
use std::io::BufRead;
fn main() {
    // lines: JSON {"group","id","thread","author","body","time","source"}
    let stage = Extractor::new(ExtractorConfig::default());
    let mut groups: std::collections::BTreeMap<String, MemoryRows> = Default::default();
    let quiet = std::env::args().nth(1).as_deref() == Some("--quiet");
    let lines: Vec<String> = std::io::stdin().lock().lines().map(|l| l.unwrap()).collect();
    let t = std::time::Instant::now();
    let (mut n, mut st, mut bytes) = (0, 0, 0);
    for line in &lines {
        let v: serde_json::Value = serde_json::from_str(line).unwrap();
        let s = |k: &str| v[k].as_str().map(str::to_owned);
        let body = s("body").unwrap();
        bytes += body.len();
        let ep = Episode { episode_id: EpisodeId::new(s("id").unwrap()).unwrap(), thread_id: s("thread").map(|t| ThreadId::new(t).unwrap()),
            source: match s("source").as_deref() { Some("text") => Source::Text, Some("json") => Source::Json, _ => Source::Message }, author: s("author").map(|name| Author { name, role: Some("user".into()), external_id: None }),
            body: body.clone(), facts: vec![], reference_time: s("time").unwrap().parse().unwrap(), source_description: None, metadata: Default::default(), digest: String::new() };
        let g = s("group").unwrap_or("g".into());
        let rows = groups.entry(g.clone()).or_default();
        let input: Event = EpisodeReceived { header: EventHeader { event_id: uuid::Uuid::nil(), group_id: GroupId::new("g").unwrap(), seq: 0, cause: None, recorded_at: ep.reference_time }, episode: ep }.into();
        let Step::Done(mut out) = stage.step(rows, &input, &Answers::default()).unwrap() else { panic!() };
        let last = last_seq(rows).unwrap();
        seal("extractor", &input, last, &mut out);
        for o in &out { stage.apply(rows, o).unwrap(); note_seq(rows, o).unwrap(); }
        n += 1;
        if let [Event::EpisodeExtracted(e)] = out.as_slice() {
            st += e.statements.len();
            if quiet { continue; }
            let ms: Vec<_> = e.mentions.iter().filter(|m| !m.speaker).map(|m| format!("{}{}", m.name, m.entity_type.as_deref().map(|t| format!(":{t}")).unwrap_or_default())).collect();
            if e.statements.is_empty() && std::env::args().nth(1).as_deref() != Some("--all") { continue; }
            println!("{} ({}) {}\n    M {:?}", g, e.episode.author.as_ref().map(|a| a.name.as_str()).unwrap_or(""), body.replace('\n', "\\n"), ms);
            for s in &e.statements {
                let o = match (&s.object, &s.value) { (Some(o), _) => format!("[{}]", e.mentions[*o as usize].name), (_, Some(v)) => v.text.clone(), _ => String::new() };
                println!("    S {} | {} | {} | {:?} {:?} {:?} | {}", e.mentions[s.subject as usize].name, s.relation, o, s.valid_at.map(|p| p.at), s.invalid_at.map(|p| p.at), s.polarity, s.fact);
            }
        }
    }
    let el = t.elapsed();
    eprintln!("{n} episodes, {bytes} bytes, {st} statements, {:?}, {:.0}/s", el, n as f64 / el.as_secs_f64());
}
