// SPDX-License-Identifier: MIT OR Apache-2.0
//! Common parts of all pages: their frame, sections, and tables.

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

const STYLE: &str = include_str!("style.css");

/// A whole page.
pub fn document(title: &str, body: &Markup, script: Option<&str>) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // Prevents a request for an icon.
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                @if let Some(script) = script {
                    script { (PreEscaped(script)) }
                }
            }
        }
    };
    page.into_string()
}

/// A section with its heading; `name` is unique in the page.
pub fn section(name: &str, heading: impl Render, body: &Markup) -> Markup {
    let id = format!("h-{name}");
    html! { section aria-labelledby=(id) { h2 id=(id) { (heading) } (body) } }
}

/// Returns the path of a file relative to the page, if the file is there.
pub type Links<'a> = &'a dyn Fn(&str) -> Option<String>;

/// No file is there.
pub const UNLINKED: Links<'static> = &|_| None;

/// Text in which the names of files are links and no line breaks inside the path of a register, or between the digits and
/// the meaning of a value. A name without a folder is no link.
pub fn prose(text: &str, link: Links<'_>) -> Markup {
    let (part, rest) = text.split_at(part_length(text));
    let word = part.trim_end();
    let name = word.trim_matches(['(', ')', ',', ';']);
    let file = Some(name).filter(|name| name.contains('/')).and_then(link);
    let (before, after) = word.split_once(name).unwrap_or_default();
    html! {
        @match file {
            Some(file) => { (before) a.value href=(file) { (name) } (after) }
            None if word.starts_with("0x") || word.contains('[') => { span.value { (word) } }
            None => { (word) }
        }
        (&part[word.len()..])
        @if !rest.is_empty() { (prose(rest, link)) }
    }
}

/// Length of the first part of a text with the space after it. A part is a word, or a value with its meaning:
/// `0x0000 (lanes 0 0)`.
fn part_length(text: &str) -> usize {
    let word = |from: usize| text[from..].find(' ').map_or(text.len(), |at| from + at + 1);
    let end = word(0);
    let meaning = text[end..].find(')').filter(|_| text.starts_with("0x"));
    meaning.filter(|_| text[end..].starts_with('(')).map_or(end, |at| word(end + at))
}

/// A part that is closed when the page opens.
pub fn closed(summary: impl Render, body: &Markup) -> Markup {
    html! { details { summary { (summary) } (body) } }
}

/// The head of a table.
pub fn head(names: &[&str]) -> Markup {
    html! { thead { tr { @for name in names { th scope="col" { (name) } } } } }
}

/// A table with column names and rows.
pub fn table(names: &[&str], rows: &Markup) -> Markup {
    html! { table { (head(names)) tbody { (rows) } } }
}

/// A table with a caption, which may be wider than the page.
pub fn captioned(caption: &Markup, names: &[&str], rows: &Markup) -> Markup {
    html! { div.wide { table { caption { (caption) } (head(names)) tbody { (rows) } } } }
}

/// A table that may be wider than the page.
pub fn wide_table(names: &[&str], rows: &Markup) -> Markup {
    html! { div.wide { (table(names, rows)) } }
}

/// A percentage with a bar.
pub fn bar(percent: f64) -> Markup {
    html! {
        span.bar aria-hidden="true" { i style=(format!("width: {percent:.1}%")) {} }
        " " span.percent { (format!("{percent:.1} %")) }
    }
}
