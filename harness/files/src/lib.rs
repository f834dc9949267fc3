// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files and folders that are complete or absent, and their paths in messages and in commands that can be pasted.
//!
//! The crate knows nothing about the contents: it reads no files, and the caller puts errors into words.
//!
//! ```
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("my case.json");
//! drra_files::write_whole(&path, b"{}\n").unwrap();
//! assert_eq!(std::fs::read(&path).unwrap(), b"{}\n");
//! assert_eq!(drra_files::stem(&path), "my case");
//! assert_eq!(drra_files::shell::word("my case.json"), "'my case.json'");
//! ```

mod lock;
mod output;
pub mod shell;

pub use lock::lock;
pub use output::{check_new_folder, from_here, stem, write_folder, write_partial, write_whole};
