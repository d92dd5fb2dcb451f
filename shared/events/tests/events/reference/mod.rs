//! `docs/events.md` is what the schemas and the list of topics give. The test compares; with
//! `MNEME_WRITE_DOCS=1` it writes the page.

mod page;
mod schemas;
mod topics;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/events.md");

#[test]
fn the_reference_is_what_the_schemas_give() {
    let page = page::page();
    if std::env::var_os("MNEME_WRITE_DOCS").is_some() {
        std::fs::write(PAGE, page).unwrap();
        return;
    }
    let there = std::fs::read_to_string(PAGE).unwrap_or_default();
    let mut lines = (1..).zip(there.lines().zip(page.lines()));
    let first = lines.find(|(_, (is, should))| is != should);
    assert!(
        there == page,
        "docs/events.md is not what the schemas give; to write it, run: make docs\n(that is \
         MNEME_WRITE_DOCS=1 cargo test -p mneme-events --test events reference)\nthe first line \
         that differs, as it is and as it should be: {first:?}"
    );
}
