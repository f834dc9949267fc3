// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gives the shared library the name with the version of its interface, under which programs look for it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libdrra.so.1");
    }
}
