//! The lines of a context. Every item is one line (an episode may have more), and every section and
//! day has a heading, which is paid for with its first item.

use mneme_api::{CommunityDto, EntityDto, EpisodeDto, FactDto};
use mneme_model::Instant;
use serde_json::Value;

use super::dates;
use super::tokens::estimate;

/// The sections, in the order shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Facts,
    Entities,
    Communities,
    Episodes,
}

impl Section {
    fn heading(self) -> &'static str {
        match self {
            Self::Facts => "# Facts\n",
            Self::Entities => "# Entities\n",
            Self::Communities => "# Communities\n",
            Self::Episodes => "# Episodes\n",
        }
    }
}

/// A line with the place where it is shown.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub section: Section,
    pub at: Option<Instant>,
    pub text: String,
}

/// The lines of a context, and what they cost with their headings.
#[derive(Debug, Default)]
pub(super) struct Page {
    lines: Vec<Line>,
    days: Vec<String>,
    cost: f64,
}

impl Page {
    /// What it costs so far.
    pub fn cost(&self) -> f64 {
        self.cost
    }

    /// What a line would add.
    pub fn price(&self, line: &Line) -> f64 {
        self.price_of_headings(line) + estimate(&line.text)
    }

    /// What the headings would add that a line needs.
    pub fn price_of_headings(&self, line: &Line) -> f64 {
        let is_first = self.lines.iter().all(|known| known.section != line.section);
        let section = if is_first {
            estimate(line.section.heading())
        } else {
            0.0
        };
        let day = day_heading(line).filter(|day| !self.days.contains(day));
        section + day.map_or(0.0, |day| estimate(&day))
    }

    /// Adds a line.
    pub fn add(&mut self, line: Line) {
        self.cost += self.price(&line);
        self.days
            .extend(day_heading(&line).filter(|day| !self.days.contains(day)));
        self.lines.push(line);
    }

    /// The text: sections in order, within each by time, equal times as added.
    pub fn write(mut self) -> String {
        self.lines.sort_by_key(|line| (line.section, line.at));
        let mut text = String::new();
        let (mut section, mut day) = (None, None);
        for line in &self.lines {
            if section != Some(line.section) {
                text.push_str(line.section.heading());
                section = Some(line.section);
            }
            let of_day = day_heading(line);
            if of_day.is_some() && of_day != day {
                text.extend(of_day.as_deref());
                day = of_day;
            }
            text.push_str(&line.text);
        }
        text
    }
}

fn day_heading(line: &Line) -> Option<String> {
    let at = line.at.filter(|_| line.section == Section::Episodes)?;
    Some(format!("## {}\n", dates::day(at)))
}

/// A fact with its dates.
pub(super) fn fact_line(fact: &FactDto) -> Line {
    let end = fact
        .invalid_at
        .map(|end| (end, fact.invalid_precision.unwrap_or(fact.precision)));
    let span = dates::span((fact.valid_at, fact.precision), end);
    Line {
        section: Section::Facts,
        at: Some(fact.valid_at),
        text: format!("- {} ({span})\n", one_line(&fact.fact)),
    }
}

/// An entity with its type and summary.
pub(super) fn entity_line(entity: &EntityDto) -> Line {
    let kind = entity.entity_type.as_ref().map(|kind| format!(" ({kind})"));
    let summary = entity
        .summary
        .as_ref()
        .map(|text| format!(": {}", one_line(text)));
    Line {
        section: Section::Entities,
        at: None,
        text: format!(
            "- {}{}{}\n",
            one_line(&entity.name),
            kind.unwrap_or_default(),
            summary.unwrap_or_default()
        ),
    }
}

/// A community with its summary.
pub(super) fn community_line(community: &CommunityDto) -> Line {
    Line {
        section: Section::Communities,
        at: None,
        text: format!(
            "- {}: {}\n",
            one_line(&community.name),
            one_line(&community.summary)
        ),
    }
}

/// An episode under its day: its author and its text.
pub(super) fn episode_line(episode: &EpisodeDto, text: &str) -> Line {
    let author = episode
        .author
        .as_ref()
        .map(|author| format!("{}: ", author.name));
    Line {
        section: Section::Episodes,
        at: Some(episode.reference_time),
        text: format!("{}{}\n", author.unwrap_or_default(), text.trim_end()),
    }
}

/// What an episode says, as text.
pub(super) fn spoken(episode: &EpisodeDto) -> String {
    match &episode.body {
        Value::String(text) => text.clone(),
        Value::Null => {
            let sentences: Vec<&str> = episode.facts.iter().map(|fact| &*fact.fact).collect();
            sentences.join("\n")
        }
        json => json.to_string(),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
