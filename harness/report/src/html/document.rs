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

/// A table with a caption.
pub fn captioned(caption: &Markup, names: &[&str], rows: &Markup) -> Markup {
    html! { table { caption { (caption) } (head(names)) tbody { (rows) } } }
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
