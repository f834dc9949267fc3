// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints the JSON schema of profiles: `cargo run -p drra-generate --example schema`.

fn main() {
    print!("{}", drra_generate::schema());
}
