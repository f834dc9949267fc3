// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints the JSON schema of signal maps: `cargo run -p drra-recorded --example schema`.

fn main() {
    print!("{}", drra_recorded::map::schema());
}
