// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pages in a real browser: headless Chromium, driven by Playwright for Python (scripts in `tests/browser`). If one
//! of them is missing, the test reports this and passes, unless `DRRA_BROWSER=required` is set, as CI does.

use std::{ffi::OsStr, path::Path, process::Command};

use drra_testkit::skip;

#[test]
#[cfg(feature = "rtl")]
fn pages_in_a_browser() {
    // A page of two nights, for which the same night is used twice.
    let campaign = crate::campaign_files::failing_campaign();
    let mut history = Command::new(env!("CARGO_BIN_EXE_drra"));
    let history = history.args(["report", "--history"]).args([campaign; 2]).output();
    assert_eq!(history.unwrap().status.code(), Some(1));
    in_browser("check.py", &[campaign]);
}

/// Runs a script with these arguments.
pub(crate) fn in_browser(script: &str, arguments: &[impl AsRef<OsStr>]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser").join(script);
    let output = match Command::new("python3").arg(script).args(arguments).output() {
        Ok(output) => output,
        Err(e) => return skip("DRRA_BROWSER", &format!("python3: {e}")),
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => println!("{text}"),
        // The exit code of the scripts if there is no browser or no driver.
        Some(77) => skip("DRRA_BROWSER", text.trim()),
        _ => panic!("{text}{errors}"),
    }
}
