//! Closed lists of words that the rules lean on.

/// Defines a test whether a word, in lower case, is in a list.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident: $words:literal;)*) => {
        $($(#[$doc])* pub(super) fn $name(word: &str) -> bool {
            static WORDS: std::sync::LazyLock<std::collections::HashSet<&'static str>> =
                std::sync::LazyLock::new(|| $words.split_whitespace().collect());
            WORDS.contains(word)
        })*
    };
}
pub(super) use words;

/// Words with a capital that are no names by themselves.
pub(super) fn is_never_name(word: &str) -> bool {
    is_day_or_month(word) || is_relative_word(word) || is_interjection(word)
}

/// Words of time that may stand right before a subject: "last year I", "this time she".
pub(super) fn is_time_word(word: &str) -> bool {
    is_part_of_time(word) || is_day_or_month(word)
}

words! {
    /// Days of the week and months.
    is_day_or_month: "
        apr april aug august christmas dec december easter feb february fri friday fridays
        halloween jan january jul july jun june mar march may mon monday mondays nov november
        oct october sat saturday saturdays sep sept september sunday sundays thanksgiving thu
        thur thurs thursday thursdays tue tues tuesday tuesdays wed wednesday wednesdays
    ";

    /// Words for relatives that are used like names.
    is_relative_word: "auntie dad daddy father grandma grandpa granny mom mommy mother mum mummy";

    /// Words that stand alone before a sentence.
    is_interjection: "
        absolutely ah aha amen asap aw awesome aww besides bravo btw bye cheers congrats
        congratulations cool dear exactly excited fyi glad gladly good goodbye great haha hahaha
        happy hello hey hi hmm hooray hugs hurray imo indeed learning lol lolz love lovely
        loving lucky maybe nice no none nope not oh ok okay omg ooh please poor proud ps regards
        sad sincerely sorry sure tbh thank thanks thx true ugh uh um understood welcome well
        whoa wishing woah woohoo wow xoxo ya yay yeah yep yes yikes yours yup
    ";

    /// Adjectives of nations, and languages.
    is_nationality: "
        african american arabic asian australian austrian belgian brazilian british canadian
        cantonese chinese christian czech danish dutch english european finnish french german
        greek hebrew hindi hungarian indian irish italian japanese jewish korean latin mandarin
        mexican muslim norwegian persian polish portuguese romanian russian scottish spanish
        swedish swiss thai turkish ukrainian vietnamese welsh
    ";

    /// Words that make all that follows in the sentence less than a statement: it is supposed, hoped,
    /// or what somebody said.
    is_hedge: "
        according allegedly almost anyone apparently asked asking asks assume assumed believe
        believed believes claim claimed claims considered considering decided doubt dream
        dreamed dreams dreamt expect expected feels guess hear heard hope hoped hopefully hopes
        hoping if imagine imagined joke joked joking kidding maybe mean means meant mentioned
        nearly perhaps planning plans possibly presumably pretend pretended probably promise
        promised reckon remember rumor rumour said say saying says seem seemed seems someday
        someone suppose supposed supposedly tell telling tells think thinking thinks thought
        told unless unsure want wanted wants whether wish wished wishes wonder wondered
        wondering
    ";

    /// Words that make a clause depend on another in such a way that it states nothing by itself.
    is_dependent: "
        after before by how like once than that till to until what whatever when whenever where
        wherever which while who whom whose why without
    ";

    /// Words of time and degree that may stand within a group of verbs.
    is_adverb: "
        absolutely actually already also always both currently definitely especially even
        finally fully generally happily honestly just lately mainly mostly now officially often
        only originally personally presently proudly really recently simply since sometimes
        still temporarily then too totally truly usually very
    ";

    /// Things that are liked as such, though the article is definite: "the ocean", not "the colour".
    is_generic: "
        arts beach beatles cello cinema circus city clarinet cold country countryside desert
        drums flute forest guitar gym harp heat internet lake mountains movies night ocean opera
        organ outdoors piano rain saxophone sea seaside snow sun sunshine theater theatre
        trumpet violin water wilderness wildlife woods zoo
    ";

    /// Words that name a part of time.
    is_part_of_time: "
        afternoon ago autumn day days evening fall later moment month months morning night
        nowadays once spring summer time times today tonight way week weekend weekends weeks
        winter year years yesterday
    ";

    /// Nouns for an occupation or a part that a person has.
    is_role: "
        accountant actor actress administrator advisor analyst architect artist assistant
        attorney author baker banker barber barista bartender biologist builder butcher captain
        carpenter cashier ceo cfo chef chemist cleaner clerk coach consultant contractor cook
        coordinator counselor cto dancer dentist designer developer director doctor driver
        economist editor electrician engineer entrepreneur farmer firefighter fisherman florist
        founder freelancer gardener geologist guard hairdresser historian instructor intern
        janitor jeweler journalist judge landlord lawyer lecturer librarian machinist manager
        master mayor mechanic miner musician nanny novelist nurse officer operator optician
        owner painter paralegal paramedic pharmacist photographer physician physicist pilot
        plumber poet policeman president principal producer professor programmer psychologist
        realtor receptionist reporter researcher sailor salesman salesperson scientist secretary
        singer social soldier specialist student supervisor surgeon surveyor tailor teacher
        technician therapist trainer translator tutor vet veteran veterinarian waiter waitress
        welder worker writer
    ";
}
