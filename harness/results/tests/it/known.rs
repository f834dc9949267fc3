// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists of known deviations.

use drra_results::known::{KnownDeviationError, KnownDeviations};

const LIST: &str = "# of the published fabric\n\ncell.seq.load_count HALT = 2.1: a HALT does not clear it\n\
                    cell AGU = #12: see the ticket: it is long\ntile.x* = 6.D9: never written\ntile.xout * = 1: again";

/// A failure is known if its own name or all its variants are listed; an entry that matches nothing is reported.
#[test]
fn variants_decide() {
    let known = KnownDeviations::parse(LIST).unwrap();
    let ticket = |variant| known.of(variant).map(|d| d.ticket.as_str());
    assert_eq!(ticket("cell.seq.load_count HALT"), Some("2.1"));
    assert_eq!(ticket("cell.seq.load_count JUMP"), None);
    // This signature is a variant of `cell AGU`.
    assert_eq!(ticket("cell.rf.agu.state REFI"), Some("#12"));
    let all = |variants: &[&'static str]| {
        known.of_all(variants.iter().copied()).map(|d| d.reason.as_str())
    };
    assert_eq!(all(&["tile.xout SRAM", "tile.xin"]), Some("never written"));
    assert_eq!(all(&["tile.xout SRAM", "tile.mem_q SRAM"]), None);
    let seen = ["tile.xout SRAM", "cell.rf.agu.state REFI"].map(|variant| (variant, None));
    let unmatched = known.unmatched(seen.into_iter());
    assert_eq!(unmatched, ["no failure matches line 3: cell.seq.load_count HALT (2.1)"]);
    // Names alone, as in a campaign, show no provenance.
    let needs = KnownDeviations::parse("tile.xout * = 6.D9 provenance=never written: why").unwrap();
    assert_eq!(needs.of("tile.xout SRAM"), None);
    let unmatched = needs.unmatched([("tile.xout SRAM", None)].into_iter()).concat();
    assert!(
        unmatched.ends_with("explained by line 1: tile.xout * (6.D9, provenance never written)"),
        "{unmatched}"
    );
}

/// Ticket, `since` and `owner` are optional and can have several words; `since` and `owner` may come in either
/// order; other fields are rejected with their line.
#[test]
fn fields_are_optional() {
    let text =
        |fields: &str| KnownDeviations::parse(&format!("\ncell AGU = {fields}: why = so: it is"));
    for (fields, expected) in [
        ("#12", "#12"),
        ("#12 since=2026-11-03 owner=Kim Lee", "#12, since 2026-11-03, owner Kim Lee"),
        ("owner=Kim since=v2", "without ticket, since v2, owner Kim"),
        ("", "without ticket"),
    ] {
        let known = text(fields).unwrap();
        let expected = format!("known deviation {expected}: why = so: it is");
        assert_eq!(known.of("cell AGU").unwrap().text(), expected);
    }
    let error = |fields: &str| text(fields).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error("#12 onwer=Kim"), "line 2: there is no field onwer");
    for wrong in ["", "never", "beyond the edge never written"] {
        let fields = format!("#12 provenance={wrong} since=v2");
        let error = error(&fields);
        assert!(
            error.ends_with(&format!(" or provenance=never written, not `{wrong}`")),
            "{error}"
        );
    }
}

#[test]
fn damaged_lines_are_named() {
    for (text, line, what) in [
        ("# fine\ncell AGU", 2, "`=` is missing"),
        ("cell AGU = 12", 1, "the reason is missing"),
        ("cell AGU = 12:  ", 1, "the reason is missing"),
        (" = 12: why", 1, "the failure is missing"),
        ("a = 1: b\n* = 12: why", 2, "matches every failure"),
    ] {
        let error = KnownDeviationError { line, what, name: String::new() };
        assert_eq!(KnownDeviations::parse(text).unwrap_err(), error, "{text}");
    }
}

/// A register or signal has to exist, up to the first placeholder; names of blocks and other words are not checked.
#[test]
fn names_exist() {
    let parse = |pattern| KnownDeviations::parse(&format!("# one\n{pattern} = 1: why"));
    for (pattern, name) in [
        ("cell.seq.load_cuont HALT", "cell.seq.load_cuont"),
        ("unknown tile.xuot", "tile.xuot"),
        ("reset cell.seq.imme", "cell.seq.imme"),
        ("cell.seq", "cell.seq"),
        ("cell.sek.* HALT", "cell.sek.*"),
        ("tile.xu?t", "tile.xu?t"),
        ("column.pc", "column.pc"),
    ] {
        let error = parse(pattern).map(|_| ()).map_err(|e| e.to_string());
        assert_eq!(error, Err(format!("line 2: no register or signal {name}")), "{pattern}");
    }
    for pattern in [
        "cell.seq.load_count HALT",
        "unknown cell.rf.mem",
        "cell.blk_rdata REFI",
        "cell.rf.agu.* REFI",
        "cell.*HALT",
        "tile.xo?t",
        "tile.msg_in",
        "*.xuot",
        "cell AGU",
        "unknown cell RF write",
        "cell *",
        "port agu_busy",
        "assertion cell.pc_is_known",
        "aborted cell.sv:7",
        "model crash SIGABRT",
    ] {
        assert!(parse(pattern).is_ok(), "{pattern}");
    }
}
