// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints the JSON schema of `summary.json`: `cargo run -p drra-campaign --example schema`.

fn main() {
    print!("{}", drra_report::summary::schema());
}
