// SPDX-License-Identifier: MIT OR Apache-2.0
//! Examples and exit codes of all commands, for `--help` and the man pages.

use clap::Command;
use clap_mangen::roff::{Roff, bold, roman};

const TEXT: &str = include_str!("help.txt");

/// Examples and exit codes of a command.
pub(crate) struct CommandHelp {
    /// What each example does, and its command line.
    examples: Vec<[&'static str; 2]>,
    /// Exit codes with their meanings.
    codes: Vec<[&'static str; 2]>,
}

/// The help of a command with this full name, such as `drra map learn`; `None` if it has none.
pub(crate) fn of(name: &str) -> Option<CommandHelp> {
    let lines = TEXT.split("\n\n").find_map(|b| b.strip_prefix(name)?.strip_prefix('\n'))?.lines();
    let (mut examples, mut codes, mut what) = (Vec::new(), Vec::new(), "");
    for line in lines.map(str::trim) {
        match line.split_once(' ') {
            Some(("#", comment)) => what = comment,
            Some((code, meaning)) if code.len() == 1 => codes.push([code, meaning.trim()]),
            _ => examples.push([what, line]),
        }
    }
    Some(CommandHelp { examples, codes })
}

impl CommandHelp {
    /// The help below the options of a command; headings are as there.
    fn text(&self, command: &Command) -> String {
        let style = command.get_styles().get_header();
        let examples = self.examples.iter().map(|[what, line]| format!("  # {what}\n  {line}\n"));
        let codes = self.codes.iter().map(|[code, meaning]| format!("\n  {code}  {meaning}"));
        format!(
            "{style}Examples:{style:#}\n{}\n{style}Exit codes:{style:#}{}",
            examples.collect::<String>(),
            codes.collect::<String>()
        )
    }

    /// The same as sections of a man page.
    pub(crate) fn man(&self) -> String {
        let mut page = Roff::new();
        page.control("SH", ["EXAMPLES"]);
        for [what, line] in &self.examples {
            page.control("PP", []).text([roman(*what)]);
            // Copied lines must not be broken.
            page.control("PP", []).control("nf", []).control("RS", ["4"]);
            page.text([bold(*line)]).control("RE", []).control("fi", []);
        }
        page.control("SH", ["EXIT STATUS"]);
        for [code, meaning] in &self.codes {
            page.control("TP", []).text([bold(*code)]).text([roman(*meaning)]);
        }
        page.render()
    }
}

/// Adds the help of a command and of those below it; `name` is its full name.
pub(crate) fn with_help(command: Command, name: &str) -> Command {
    let command = command.mut_subcommands(|below| {
        let name = format!("{name} {}", below.get_name());
        with_help(below, &name)
    });
    let text = of(name).map(|help| help.text(&command)).unwrap_or_default();
    command.after_long_help(text)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::{Command, CommandFactory, Parser};
    use drra_testkit::PROJECT;

    use super::{TEXT, of, with_help};
    use crate::args::Args;

    /// Checks a command and those below it; returns their number.
    fn check(command: &Command, name: &str) -> usize {
        let help = of(name).unwrap_or_else(|| panic!("{name} has no examples"));
        assert!(help.examples.len() == 2 && help.codes.len() >= 3, "{name}");
        for [what, line] in &help.examples {
            assert!(line.starts_with(name) && !what.is_empty(), "{name}: {line}");
            Args::try_parse_from(line.split(' ')).unwrap_or_else(|e| panic!("{line}: {e}"));
            let source = |w: &&str| ["isa/", "tests/", "harness/"].iter().any(|f| w.starts_with(f));
            let mut sources = line.split(' ').filter(source);
            assert!(sources.all(|file| Path::new(PROJECT).join(file).exists()), "{line}");
        }
        let page = with_help(command.clone(), name).render_long_help().to_string();
        for [code, meaning] in &help.codes {
            let line = format!("\n  {code}  {meaning}");
            assert!(("0"..="4").contains(code) && page.contains(&line), "{line}: {page}");
        }
        let below = command.get_subcommands().filter(|below| !below.is_hide_set());
        1 + below.map(|c| check(c, &format!("{name} {}", c.get_name()))).sum::<usize>()
    }

    /// Examples are accepted command lines with files that exist; no block is about anything else.
    #[test]
    fn every_command_has_its_examples_and_exit_codes() {
        assert_eq!(check(&Args::command(), "drra"), TEXT.split("\n\n").skip(1).count());
    }
}
