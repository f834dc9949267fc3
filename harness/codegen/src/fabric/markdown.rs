// SPDX-License-Identifier: MIT OR Apache-2.0
//! Human-readable tables of a fabric description.

use drra_fabric::{Description, ValueType};

/// Generates a Markdown document: blocks, registers, signals, ports, messages, packed types,
/// enumerations.
pub(crate) fn fabric_markdown(d: &Description) -> String {
    let mut out = MarkdownDocument(format!("# Fabric {}\n", d.name));
    out.blocks(d);
    out.registers(d);
    out.signals(d);
    out.ports(d);
    out.messages(d);
    out.types(d);
    out.enumerations(d);
    out.0
}

/// The document written so far.
struct MarkdownDocument(String);

impl MarkdownDocument {
    fn table(&mut self, title: &str, columns: &[&str], rows: impl Iterator<Item = Vec<String>>) {
        self.0 += &format!("\n{title}\n\n| {} |\n", columns.join(" | "));
        self.0 += &format!("|{}\n", "---|".repeat(columns.len()));
        for row in rows {
            let cells: Vec<String> = row.iter().map(|c| c.replace('|', "\\|")).collect();
            self.0 += &format!("| {} |\n", cells.join(" | "));
        }
    }

    fn blocks(&mut self, d: &Description) {
        let rows = d.blocks.iter().map(|b| {
            let golden: Vec<_> = b.golden.iter().map(|g| format!("golden/src/{g}.rs")).collect();
            vec![b.name.clone(), b.chapter.to_string(), quoted(&b.rtl), quoted(&golden)]
        });
        self.table("## Blocks", &["Block", "Chapter", "Modules", "Golden model"], rows);
    }

    fn registers(&mut self, d: &Description) {
        let rows = d.registers.iter().map(|r| {
            let rule = &d.rules[r.rule.at];
            vec![
                r.unit.to_string(),
                format!("`{}`", r.path),
                r.width.text(),
                r.reset.map_or_else(|| "none".to_owned(), |value| value.to_string()),
                meaning(d, &r.value_type),
                rule.block.name.clone(),
                format!("{} (chapter {}, {})", rule.name, rule.chapter, rule.section),
            ]
        });
        let columns = ["Unit", "Register", "Width", "Reset", "Meaning", "Block", "Rule"];
        self.table("## Registers", &columns, rows);
    }

    fn signals(&mut self, d: &Description) {
        let rows = d.signals.iter().map(|s| {
            let key = s.key.as_ref().map_or("", |key| &*key.name);
            let rule = &d.rules[s.rule.at];
            vec![
                s.unit.to_string(),
                format!("`{}`", s.name),
                key.to_owned(),
                s.width.to_string(),
                meaning(d, &s.value_type),
                rule.block.name.clone(),
                rule.name.clone(),
            ]
        });
        let columns = ["Unit", "Signal", "Key", "Width", "Meaning", "Block", "Rule"];
        self.table("## Signals", &columns, rows);
    }

    fn ports(&mut self, d: &Description) {
        let rows = d.ports.iter().map(|p| {
            let rule = p.rule.name.clone();
            vec![p.unit.to_string(), format!("`{}`", p.name), p.width.text(), rule]
        });
        self.table("## Output ports", &["Unit", "Port", "Width", "Rule"], rows);
    }

    fn messages(&mut self, d: &Description) {
        self.0 += "\n## Messages\n";
        for m in &d.messages {
            let title = format!(
                "### {}\n\nKind {}, {} bits; chapter {}, section {}.",
                m.name, m.kind.at, m.width, m.chapter, m.section
            );
            let rows = m.fields.iter().map(|f| {
                let meaning = match f.constant {
                    Some(value) => format!("always {value}"),
                    None => meaning(d, &f.value_type),
                };
                vec![format!("`{}`", f.name), span(f.lsb, f.width), f.width.to_string(), meaning]
            });
            self.table(&title, &["Field", "Bits", "Width", "Meaning"], rows);
        }
    }

    fn types(&mut self, d: &Description) {
        self.0 += "\n## Packed types\n";
        for t in &d.types {
            let title = format!("### {}\n\n{} bits; chapter {}.", t.name, t.width, t.chapter);
            let rows = t.fields.iter().map(|f| {
                let bits = span(f.lsb, f.width);
                vec![format!("`{}`", f.name), bits, f.width.to_string(), meaning(d, &f.value_type)]
            });
            self.table(&title, &["Field", "Bits", "Width", "Meaning"], rows);
        }
    }

    fn enumerations(&mut self, d: &Description) {
        let rows = d.enumerations.iter().map(|e| {
            let named = e.values.iter().enumerate();
            let values: Vec<String> = named
                .filter_map(|(value, name)| Some(format!("{value}={}", name.as_ref()?)))
                .collect();
            vec![e.name.clone(), e.width.to_string(), e.chapter.to_string(), values.join("; ")]
        });
        self.table("## Enumerations", &["Enumeration", "Width", "Chapter", "Values"], rows);
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
}

fn span(lsb: u32, width: u32) -> String {
    if width == 1 { lsb.to_string() } else { format!("{}..{lsb}", lsb + width - 1) }
}

fn meaning(d: &Description, value_type: &ValueType) -> String {
    match value_type {
        ValueType::Number => "number".into(),
        ValueType::Signed => "signed number".into(),
        ValueType::Enumeration(index) => d.enumerations[*index].name.clone(),
        ValueType::Fields(index) => format!("`{}`", d.types[*index].name),
        ValueType::Instruction(mnemonic, field) => format!("field `{field}` of {mnemonic}"),
        ValueType::Payload => "payload of the message that `kind` names".into(),
        ValueType::Message(index) => format!("payload of {}", d.messages[*index].name),
    }
}
