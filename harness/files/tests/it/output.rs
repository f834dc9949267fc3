// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files and folders are written whole or not at all.

use std::{fs, io};

use drra_files::{write_folder, write_partial, write_whole};

#[test]
fn a_folder_appears_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("new/folder");
    let refused = write_folder(&target, |partial| {
        fs::write(partial.join("one"), b"1")?;
        Err::<(), _>(io::Error::other("no more room"))
    });
    assert!(refused.is_err());
    let parent = target.parent().unwrap();
    assert_eq!(fs::read_dir(parent).unwrap().count(), 0, "nothing is left");
    fs::create_dir(&target).unwrap();
    write_folder(&target, |partial| fs::write(partial.join("one"), b"1")).unwrap();
    assert_eq!(fs::read(target.join("one")).unwrap(), b"1", "an empty folder is accepted");
    let again = write_folder(&target, |partial| fs::write(partial.join("two"), b"2"));
    assert_eq!(again.unwrap_err().kind(), io::ErrorKind::DirectoryNotEmpty);
    assert_eq!(fs::read_dir(parent).unwrap().count(), 1);
    assert_eq!(fs::read_dir(&target).unwrap().count(), 1, "the existing folder is kept");
}

#[test]
fn a_failed_write_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("folder");
    fs::create_dir(&target).unwrap();
    assert!(write_whole(&target, b"text").is_err(), "a folder cannot be replaced");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    let file = dir.path().join("file");
    write_whole(&file, b"one").unwrap();
    write_whole(&file, b"two").unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"two");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
    let refused = write_partial(&file, |partial| {
        fs::write(partial, b"thr")?;
        Err::<(), _>(io::Error::other("no more room"))
    });
    assert!(refused.is_err());
    assert_eq!(fs::read(&file).unwrap(), b"two", "the existing file is kept");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

/// A temporary file or folder whose writer was killed is removed when the same file or folder is written again. A
/// temporary file that is being written, and a user's file with a similar name, are kept.
#[test]
fn left_parts_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    for name in ["file.drra-abcdef.part", "file.part", "other.drra-abcdef.part"] {
        fs::write(at(name), b"").unwrap();
    }
    fs::create_dir_all(at("folder.drra-abcdef.part/inner")).unwrap();
    write_partial(&at("file"), |_| write_whole(&at("file"), b"two")).unwrap();
    write_folder(&at("folder"), |_| Ok::<_, io::Error>(())).unwrap();
    let mut names: Vec<_> =
        fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["file", "file.part", "folder", "other.drra-abcdef.part"]);
}

/// A pipe remains a pipe, and its reader gets the text.
#[test]
#[cfg(unix)]
fn what_is_not_a_file_is_written_to_directly() {
    use std::os::unix::fs::FileTypeExt;
    let dir = tempfile::tempdir().unwrap();
    let pipe = dir.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::process::Command::new("cat")
        .arg(&pipe)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    write_whole(&pipe, b"text").unwrap();
    assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
    assert_eq!(reader.wait_with_output().unwrap().stdout, b"text");
}

/// The file has the same permissions as one that was written directly.
#[test]
#[cfg(unix)]
fn permissions_are_the_usual_ones() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let [direct, whole] = ["direct", "whole"].map(|name| dir.path().join(name));
    fs::write(&direct, b"text").unwrap();
    write_whole(&whole, b"text").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&whole), mode(&direct));
}
