// SPDX-License-Identifier: MIT OR Apache-2.0
//! Annotations and a job summary for runs on GitHub Actions.

use std::{fs::OpenOptions, io::Write};

use drra_report::{Report, shown, text};

/// True if this process runs on GitHub Actions.
pub fn is_here() -> bool {
    std::env::var("GITHUB_ACTIONS").is_ok_and(|v| v == "true")
}

/// The workflow command that annotates a failure. The annotation names the RTL file to examine first, except for a
/// user's design, whose files are not known.
pub fn annotation(report: &Report) -> String {
    let rule = report.rule.rule;
    let ours = report.compared.is_none();
    let file = rule.rtl_files().next().filter(|_| ours);
    let file = file.map_or_else(String::new, |f| format!("file={},", property(&f)));
    let instruction = report.responsible.as_ref().map_or_else(
        || "no instruction".to_owned(),
        |o| format!("{} at address {} of {}", o.instruction.text(), o.address, text::cell(o.cell)),
    );
    let text = format!(
        "{} {} first in cycle {}: expected {}, observed {}\nblock {}, {}\nrule: {}, {}\nrepeat: {}",
        report.place(),
        report.verb(),
        report.mismatch.cycle,
        report.expected(),
        report.observed(),
        report.rule.block(),
        instruction,
        report.rule.cited().chapter_file(),
        report.rule.cited().info().section,
        report.repeat
    );
    format!("::error {file}title={}::{}", property(&report.heading()), data(&text))
}

/// The workflow command that annotates a line of a file, or the whole file, at a level: `error` or `warning`.
pub fn line(level: &str, file: &str, line: Option<usize>, title: &str, text: &str) -> String {
    let line = line.map_or_else(String::new, |line| format!("line={line},"));
    format!("::{level} file={},{line}title={}::{}", property(file), property(title), data(text))
}

/// Appends the failures to the job summary, if the environment names one.
///
/// # Errors
/// If the file that the environment names cannot be written.
pub fn summarize(title: &str, reports: &[&Report]) -> std::io::Result<()> {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY") else { return Ok(()) };
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all(markdown(title, reports).as_bytes())
}

/// The failures as a table.
fn markdown(title: &str, reports: &[&Report]) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let mut out = format!("### {title}\n\n");
    if reports.is_empty() {
        return out + "No mismatch.\n\n";
    }
    out += "| failure | first difference | cycle | block | responsible instruction | repeat |\n";
    out += "|---|---|---|---|---|---|\n";
    for r in reports {
        let instruction =
            r.responsible.as_ref().map_or_else(|| "none".to_owned(), |o| o.instruction.text());
        out += &format!(
            "| {} | `{}` | {} | {} | `{}` | `{}` |\n",
            cell(&r.heading()),
            cell(&r.place()),
            r.mismatch.cycle,
            cell(r.rule.block()),
            cell(&instruction),
            cell(&r.repeat)
        );
    }
    out + "\n"
}

/// Escapes the text of a workflow command.
fn data(text: &str) -> String {
    shown::foreign(text).replace('%', "%25").replace('\n', "%0A")
}

/// Escapes the value of a property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
