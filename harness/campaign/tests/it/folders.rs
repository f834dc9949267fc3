// SPDX-License-Identifier: MIT OR Apache-2.0
//! The folders of failures.

use drra_campaign::stored_folder;
use drra_results::summary::{Failure, FailureVariant};

/// The folder of a failure is also found in a campaign of an earlier version, which had one folder for each
/// variant, or another name for the failure.
#[test]
fn folders_of_earlier_versions_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let (count, first_case, first_seed, cycle) = (1, 2, 3, 4);
    let variant = |name: &str| {
        let signature = name.to_owned();
        FailureVariant { signature, count, first_case, first_seed, cycle }
    };
    let (signature, folder) = ("cell AGU".to_owned(), "failures/cell-AGU".to_owned());
    let variants = ["cell.agu_addr REFI", "cell.rf.agu.state REFI"].map(variant).to_vec();
    let failure = Failure {
        signature,
        count,
        first_case,
        first_seed,
        cycle,
        folder,
        variants,
        common: Vec::new(),
        fabrics: Vec::new(),
        behind: false,
        known: None,
    };
    assert_eq!(stored_folder(dir.path(), &failure), "failures/cell-AGU");
    for name in ["cell.rf.agu.state-REFI", "cell.agu_addr-REFI", "cell-AGU"] {
        let name = format!("failures/{name}");
        std::fs::create_dir_all(dir.path().join(&name)).unwrap();
        assert_eq!(stored_folder(dir.path(), &failure), name);
    }
    let [signature, folder, stored] = ["excessive output", "failures/new", "failures/model-flood"];
    let renamed = Failure {
        signature: signature.into(),
        folder: folder.into(),
        variants: Vec::new(),
        ..failure
    };
    std::fs::create_dir_all(dir.path().join(stored)).unwrap();
    assert_eq!(stored_folder(dir.path(), &renamed), stored);
}
