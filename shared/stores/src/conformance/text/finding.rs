//! What texts find: any query is valid, in any script; codes are found exactly.

use super::case::Case;
use crate::DocumentKind;
use crate::conformance::documents::*;

pub(super) async fn suite(case: Case<'_>) {
    no_query_fails(case).await;
    words_are_found_in_their_forms(case).await;
    scripts_without_spaces(case).await;
    a_code_comes_before_its_like(case).await;
    a_long_query_finds_what_its_words_name(case).await;
}

async fn no_query_fails(case: Case<'_>) {
    let odd = [
        "",
        "   ",
        "\u{200b}",
        "left/right|centre",
        "`make all`",
        "__",
        "?!",
        "\"\"",
        "\"",
        "key:value",
        "G++",
        "[half open",
        "NOT AND OR",
        "fog~1^2",
        "**",
        "?",
        "\\",
        "{1 TO 5}",
        "-minus",
        "🦦",
        "京都|大阪",
        "{\"query\":{}}",
        "'; --",
        "٣ كتب",
        "a:*:b",
        "\u{0}",
        "\n\t",
    ];
    for text in odd {
        assert!(case.episodes(text).await.is_empty(), "{text:?}");
    }
    case.apply(vec![put(episode("e1", None, 1, "a G++ handbook to be"))])
        .await;
    for text in odd {
        case.episodes(text).await;
    }
    assert_eq!(case.episodes("G++").await, ["e1"]);
    assert_eq!(case.episodes("to be or not").await, ["e1"]);
    assert!(case.episodes("").await.is_empty());
    case.drop().await;
}

async fn words_are_found_in_their_forms(case: Case<'_>) {
    case.apply(vec![
        put(episode(
            "e1",
            None,
            1,
            "The owners were Running their SERVICES",
        )),
        put(episode("e2", None, 1, "nothing of the sort")),
    ])
    .await;
    for text in [
        "owner",
        "run",
        "service",
        "running services",
        "OWNER'S",
        "ｏｗｎｅｒ",
    ] {
        assert_eq!(case.episodes(text).await, ["e1"], "{text}");
    }
    case.drop().await;
}

async fn scripts_without_spaces(case: Case<'_>) {
    case.apply(vec![
        put(episode("tai chi", None, 1, "王芳每天早上在公园练太极拳")),
        put(episode("abacus", None, 1, "李雷的爷爷收藏了一把旧算盘")),
        put(episode(
            "shop",
            None,
            1,
            "او در کتاب\u{200c}فروشی کار می\u{200c}کند",
        )),
        put(episode("kyoto", None, 1, "彼女は京都に住んでいます")),
        put(episode("seoul", None, 1, "그는 서울에서 일한다")),
        put(episode("house", None, 1, "เขามีบ้านใหม่")),
        put(episode("book", None, 1, "Она читает новую книгу")),
    ])
    .await;
    for (text, expected) in [
        ("太极", "tai chi"),
        ("算盘", "abacus"),
        ("کتاب\u{200c}فروشی", "shop"),
        ("کتابفروشی", "shop"),
        ("京都", "kyoto"),
        ("서울", "seoul"),
        ("บ้าน", "house"),
        ("КНИГУ", "book"),
    ] {
        let found = case.episodes(text).await;
        assert_eq!(found.first().map(String::as_str), Some(expected), "{text}");
    }
    case.drop().await;
}

async fn a_code_comes_before_its_like(case: Case<'_>) {
    let codes = [
        "QF-7730-RB",
        "QF-7731-RB",
        "QF-7703-RB",
        "QX-7730-RB",
        "LM-0042-ZZ",
        "LM-0024-ZZ",
    ];
    let facts = codes.map(|code| {
        let sentence = format!("The order desk handles parcel {code}");
        put_version(version(code, 1, &sentence))
    });
    case.apply(facts.to_vec()).await;
    for code in codes {
        for text in [
            code.to_owned(),
            code.to_lowercase(),
            format!("what of ({code})?"),
        ] {
            let found = case.ids(DocumentKind::Fact, &text).await;
            assert_eq!(found.first(), Some(&id(code).to_string()), "{text}");
        }
    }
    case.drop().await;
}

async fn a_long_query_finds_what_its_words_name(case: Case<'_>) {
    case.apply(vec![
        put(episode("e1", None, 1, "the ketch Albatross")),
        put(episode("e2", None, 1, "where and after and where")),
    ])
    .await;
    let filler = "and where did it go after the storm ".repeat(5_000);
    let numbers: String = (0..20_000).map(|number| format!("n{number} ")).collect();
    for text in [
        format!("Albatross {filler}"),
        format!("{filler} Albatross"),
        format!("{filler} Albatross {numbers}"),
    ] {
        let found = case.episodes(&text).await;
        assert!(found.contains(&"e1".to_owned()));
    }
    case.drop().await;
}
