// SPDX-License-Identifier: MIT OR Apache-2.0
//! All variables of a model of our own RTL, as C++: `public.vlt` names only those that follow the naming rules of the
//! sources, and state with any other name must be found, too.

use std::{collections::BTreeSet, fs};

use crate::{
    error::{BuildError, FileError},
    model::Model,
    units,
};

/// The text that Verilator writes between the names of a function and of its static variable.
const STATIC: &str = "__Vstatic__";

/// Two functions for the bridge: `settle` evaluates the logic between all variables, and `list` lists them, but not for a
/// user's design.
pub(crate) fn functions(model: &Model<'_>) -> Result<String, BuildError> {
    let name = model.name();
    let settle = format!("{name}___024root___eval_settle");
    let mut text = format!("void {settle}({name}___024root* top);\n");
    let mut all = String::new();
    if !model.kind.source.of_user {
        let symbols = section(model, &format!("{name}__Syms"), "MODULE INSTANCE STATE")?;
        let instances = || symbols.lines().filter_map(|line| line.trim().split_once(' '));
        for class in instances().map(|(class, _)| class).collect::<BTreeSet<_>>() {
            let members = section(model, class, "DESIGN SPECIFIC STATE")?;
            let prefix = match units::module(&name, class) {
                "top" => String::new(),
                module => format!("{module}."),
            };
            let members = members.lines().filter_map(member).map(|member| {
                let path = prefix.clone() + &plain(member);
                format!("{{\"{path}\", &m.{member}, sizeof m.{member}}},\n")
            });
            let members: String = members.collect();
            text += &format!(
                "inline void list({class}& m, std::vector<drra::Member>& all) {{\n\
                 all.insert(all.end(), std::initializer_list<drra::Member>{{\n{members}}});\n}}\n"
            );
        }
        let list = |(_, i): (&str, &str)| format!("list(s.{}, all);\n", i.trim_matches([' ', ';']));
        all = instances().map(list).collect();
    }
    let list = "[[maybe_unused]] std::vector<drra::Member>& all";
    text += &format!("inline void settle({name}__Syms& s) {{ {settle}(&s.TOP); }}\n");
    text += &format!("inline void list([[maybe_unused]] {name}__Syms& s, {list}) {{\n{all}}}\n");
    Ok(text)
}

/// The declarations in a section of the header of a class.
fn section(model: &Model<'_>, class: &str, title: &str) -> Result<String, BuildError> {
    let file = model.folder().join(format!("{class}.h"));
    let header = fs::read_to_string(&file).map_err(FileError::of(&file))?;
    let (_, rest) = header.split_once(&format!("// {title}\n")).unwrap_or_default();
    let end = rest.find("\n\n").unwrap_or(rest.len());
    Ok(rest[..end].to_owned())
}

/// The name of the variable that a line declares: `VL_IN8(name,0,0);` or `VlWide<8>/*255:0*/ name;`. Variables of
/// Verilator itself are left out, but not the static variables of functions.
fn member(line: &str) -> Option<&str> {
    let declaration = line.trim().strip_suffix(';')?;
    let name = match declaration.strip_prefix("VL_") {
        Some(port) => port.split(['(', ',']).nth(1)?,
        None => declaration.rsplit_once(' ')?.1,
    };
    let of_verilator = name.starts_with("_V") || name.replace(STATIC, "").contains("__V");
    (!of_verilator).then_some(name)
}

/// A name as in the sources.
fn plain(name: &str) -> String {
    let codes = [
        ("__PVT__", ""),
        (STATIC, "."),
        ("__DOT__", "."),
        ("__BRA__", "["),
        ("__KET__", "]"),
        ("___05F", "__"),
    ];
    codes.iter().fold(name.to_owned(), |name, (code, text)| name.replace(code, text))
}
