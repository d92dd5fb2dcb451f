//! The languages that times are read in.

use duckling::Lang;

/// A language that times can be read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(Lang);

/// Each language with its ISO 639-1 code.
const LANGUAGES: [(&str, Lang); 29] = [
    ("ar", Lang::AR),
    ("bg", Lang::BG),
    ("ca", Lang::CA),
    ("da", Lang::DA),
    ("de", Lang::DE),
    ("el", Lang::EL),
    ("en", Lang::EN),
    ("es", Lang::ES),
    ("fr", Lang::FR),
    ("ga", Lang::GA),
    ("he", Lang::HE),
    ("hr", Lang::HR),
    ("hu", Lang::HU),
    ("it", Lang::IT),
    ("ja", Lang::JA),
    ("ka", Lang::KA),
    ("ko", Lang::KO),
    ("nb", Lang::NB),
    ("nl", Lang::NL),
    ("pl", Lang::PL),
    ("pt", Lang::PT),
    ("ro", Lang::RO),
    ("ru", Lang::RU),
    ("sv", Lang::SV),
    ("tr", Lang::TR),
    ("uk", Lang::UK),
    ("vi", Lang::VI),
    ("zh", Lang::ZH),
    ("no", Lang::NB),
];

impl Language {
    /// English, the language of the message reader.
    pub const ENGLISH: Self = Self(Lang::EN);

    /// The language of an ISO 639-1 code, in any case; `None` where times can't be read in it.
    pub fn from_code(code: &str) -> Option<Self> {
        LANGUAGES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(code))
            .map(|&(_, language)| Self(language))
    }

    /// All languages.
    pub fn all() -> impl Iterator<Item = Self> {
        // "no" is a second code of "nb".
        LANGUAGES[..LANGUAGES.len() - 1]
            .iter()
            .map(|&(_, language)| Self(language))
    }

    /// The ISO 639-1 code.
    pub fn code(self) -> &'static str {
        self.0.code()
    }

    pub(super) fn lang(self) -> Lang {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_name_languages() {
        assert_eq!(Language::from_code("EN"), Some(Language::ENGLISH));
        assert_eq!(Language::from_code("xx"), None);
        for language in Language::all() {
            assert_eq!(Language::from_code(language.code()), Some(language));
        }
    }
}
