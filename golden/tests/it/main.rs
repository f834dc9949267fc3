// SPDX-License-Identifier: MIT OR Apache-2.0
//! The golden model against the worked traces and checkable examples of chapters 2 to 7. The
//! expected values are those printed in the chapters.

mod agu;
mod dpu;
mod example;
mod examples;
mod permute;
mod register_file;
mod squash;

/// Every fabric-level example of the chapters holds on the golden model.
#[test]
fn fabric_examples() {
    let failures: Vec<String> =
        examples::all().iter().flat_map(example::Example::golden_failures).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
