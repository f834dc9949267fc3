// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verilator's list of the files that it read for a model (`__verFiles.dat`).

use std::path::{Path, PathBuf};

/// Those files that are outside a folder, wherever a path such as `FOLDER/../ip/mul.sv` or a link leads.
pub(crate) fn outside<'a>(
    folder: &Path,
    files: impl IntoIterator<Item = &'a PathBuf>,
) -> impl Iterator<Item = PathBuf> {
    let whole = files.into_iter().map(|path| path.canonicalize().unwrap_or(path.clone()));
    whole.filter(move |path| !path.starts_with(folder))
}

/// The names in the list. Unlike in the dependencies for make, in which Verilator escapes nothing, they are in quotation
/// marks; newer versions write a hash in front of them.
pub(crate) fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let quoted = line.strip_prefix("S ")?.split_once('"')?.1.strip_suffix('"')?;
        Some(quoted.split_once("\" \"").map_or(quoted, |(_, name)| name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Verilator 5.006 and 5.048 write them.
    #[test]
    fn every_file_of_a_design_is_listed_once() {
        let text = "# DESCRIPTION: Verilator output: Timestamp data for --skip-identical.\n\
                    C \"--cc -f rtl.f\"\n\
                    S      2875  57427  17958           0  17958           0 \"../i p/a $d#\\\\ \u{e9}.sv\"\n\
                    T      2875  57427  17958           0  17958           0 \"/out/V.cpp\"\n\
                    S        40  57427  17958           0  17958           0 \"rXSLHA\" \"/a b/public.vlt\"\n\
                    S      7542  57427  17958           0  17958           0 \"unhashed\" \"top.sv\"\n";
        let all: Vec<&str> = listed(text).collect();
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let folder = project.join("rtl");
        let files = ["drra_agu.sv", "../build.rs", "../rtl/rtl.f"].map(|name| folder.join(name));
        let outside: Vec<_> = outside(&folder.canonicalize().unwrap(), &files).collect();
        assert_eq!(outside, [project.join("build.rs").canonicalize().unwrap()]);
        assert_eq!(all, ["../i p/a $d#\\\\ \u{e9}.sv", "/a b/public.vlt", "top.sv"]);
    }
}
