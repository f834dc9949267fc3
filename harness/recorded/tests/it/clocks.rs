// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maps that name a wrong clock, several signals, or none.

use drra_recorded::Error;

use crate::recording::{Map, map, prepared, recorded, vec_add};

/// A signal of half the rate, the other edge of a signal that is no clock, and data as clock.
#[test]
fn a_wrong_clock_never_agrees() {
    let case = vec_add();
    let text = recorded(&case).text();
    for (signal, edge) in
        [("half", "rising"), ("half", "falling"), ("ld", "rising"), ("ld", "falling")]
    {
        let mut map = map();
        map.set("clock", &format!("{edge} bench.{signal}"));
        for given in [None, Some(&case)] {
            let Ok(check) = prepared(&text, &map, given) else { continue };
            match check.run(None) {
                Ok(ran) => assert!(ran.outcome.mismatch.is_some(), "{signal} {edge} agrees"),
                Err(Error::Unusable(e)) if e.starts_with("nothing was compared") => {}
                Err(e) => panic!("{e}"),
            }
        }
    }
}

fn refused(change: impl FnOnce(&mut Map)) -> String {
    let mut map = map();
    change(&mut map);
    match prepared(&recorded(&vec_add()).text(), &map, None) {
        Err(e @ Error::Map(_)) => e.to_string(),
        other => panic!("{:?}", other.map(|_| ()).map_err(|e| e.to_string())),
    }
}

/// Exactly one signal may match.
#[test]
fn several_matches_are_refused() {
    let text = refused(|map| map.set("cell[0][0].seq.pc", "= bench.*"));
    assert!(text.contains("cell[0][0].seq.pc"), "{text}");
    assert!(text.contains("matches several signals: bench."), "{text}");
}

/// A map of another design.
#[test]
fn a_map_that_matches_nothing_is_refused() {
    let text = refused(|map| {
        for rest in map.0.values_mut() {
            *rest = rest.replace("their", "our");
        }
    });
    assert!(text.contains("the map matches nothing"), "{text}");
}
