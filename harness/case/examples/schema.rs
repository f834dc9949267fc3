// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints the JSON schema of case files: `cargo run -p drra-case --example schema`.

fn main() {
    print!("{}", drra_case::schema());
}
