// SPDX-License-Identifier: MIT OR Apache-2.0
//! Problems of a map: each with its place in the text, a remedy, and the first of the registers that it affects.

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use drra_fabric::Location;

use super::file::Span;

/// One problem of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapProblem {
    pub span: Span,
    pub what: String,
    /// The remedy.
    pub help: String,
    /// The first affected register, if there is one.
    pub example: Option<Location>,
    /// Number of further registers with the same problem.
    pub more: usize,
}

/// The reasons a text is not a map, or a map cannot be used with a waveform: at least one problem.
#[derive(Clone, Debug)]
pub struct MapError {
    /// The name of the map.
    pub name: String,
    pub text: String,
    pub problems: Vec<MapProblem>,
}

impl MapProblem {
    pub(super) fn new(span: Span, what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { span, what: what.into(), help: help.into(), example: None, more: 0 }
    }

    /// The problem, with the first affected register and the number of further ones, if there are any.
    pub fn title(&self) -> String {
        match (&self.example, self.more) {
            (None, _) => self.what.clone(),
            (Some(example), 0) => format!("{} ({example})", self.what),
            (Some(example), more) => format!("{} ({example} and {more} more)", self.what),
        }
    }
}

impl MapError {
    pub(super) fn new(name: &str, text: &str, problems: Vec<MapProblem>) -> Self {
        Self { name: name.to_owned(), text: text.to_owned(), problems }
    }

    /// Line and column of a problem, numbered from 1.
    pub fn place(&self, problem: &MapProblem) -> (usize, usize) {
        let before = self.text.get(..problem.span.start).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }

    /// All problems, each with its line.
    pub fn text(&self, renderer: &Renderer) -> String {
        let group = |problem: &MapProblem| {
            let place = AnnotationKind::Primary.span(problem.span.clone());
            let snippet = Snippet::source(&*self.text).path(&*self.name).annotation(place);
            Group::with_title(Level::ERROR.primary_title(problem.title()))
                .element(snippet)
                .element(Level::HELP.message(problem.help.clone()))
        };
        let all = self.problems.iter().map(|problem| renderer.render(&[group(problem)]));
        all.collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&Renderer::plain()))
    }
}

impl std::error::Error for MapError {}
