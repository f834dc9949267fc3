// SPDX-License-Identifier: MIT OR Apache-2.0
//! The RTL of this project as a signal map: what the fabric description says about its variables, in the form
//! in which users say it about theirs.

use drra_isa::Geometry;
use drra_isa::UnitKind;
use drra_isa::fabric::Array;
use drra_isa::fabric::Field;
use drra_isa::fabric::Layout;
use drra_isa::fabric::RegisterId;
use drra_isa::fabric::Variable;
use drra_recorded::map::ClockEdge;
use drra_recorded::map::ClockEntry;
use drra_recorded::map::FabricSize;
use drra_recorded::map::Level;
use drra_recorded::map::MapFile;
use drra_recorded::map::Number;
use drra_recorded::map::Prefix;
use drra_recorded::map::RegisterEntry;
use drra_recorded::map::ResetEntry;
use drra_recorded::map::SliceTerm;
use drra_recorded::map::Term;
use drra_recorded::map::VERSION;

use crate::scope;

/// The map of `rtl/` for a fabric of a size, by the names that Verilator has for its variables.
pub fn own_map(geometry: &Geometry) -> MapFile {
    let layout = Layout::new(geometry);
    let size = FabricSize {
        columns: Some(geometry.columns),
        tile_rows: Some(geometry.tile_rows),
        rf_words: Some(geometry.rf_words),
        sram_blocks: Some(geometry.sram_blocks),
    };
    let prefix =
        |kind: UnitKind| (name(kind).to_owned(), Prefix::One(scope::pattern(kind).to_owned()));
    let registers = layout.variables().iter().flat_map(of_variable);
    let memory = RegisterId::TileSram.group().info();
    let rows = RegisterEntry {
        register: format!("{}sram[a]", path(UnitKind::Tile)),
        value: Some(Term::Text(format!("{{tile}}.{}.{}[{{a}}]", memory.instance, memory.variable))),
        ..entry()
    };
    let top = scope::pattern(UnitKind::Fabric);
    MapFile {
        version: VERSION,
        comment: "The RTL of this project.".to_owned(),
        simulator: "Verilator".to_owned(),
        fabric: Some(size),
        prefixes: UnitKind::ALL.into_iter().map(prefix).collect(),
        tables: Default::default(),
        clock: ClockEntry { signal: format!("{top}.clk_i"), edge: ClockEdge::Rising },
        reset: Some(ResetEntry { signal: format!("{top}.rst_ni"), active: Level::Low }),
        cycle_0: None,
        ports: Default::default(),
        flag_delay: None,
        outputs: Default::default(),
        registers: registers.chain([rows]).collect(),
    }
}

/// Name of the prefix for the units of a kind.
fn name(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Cell => "cell",
        UnitKind::Column => "column",
        UnitKind::Tile => "tile",
        UnitKind::Fabric => "fabric",
    }
}

/// Beginning of the paths of registers, with the letters of [`scope::pattern`].
fn path(kind: UnitKind) -> &'static str {
    match kind {
        UnitKind::Cell => "cell[r][c].",
        UnitKind::Column => "col[c].",
        UnitKind::Tile => "tile[R][c].",
        UnitKind::Fabric => "",
    }
}

/// An entry for each register of a variable.
fn of_variable(variable: &Variable) -> impl Iterator<Item = RegisterEntry> {
    let (instance, name_in_rtl) = variable.in_rtl();
    let unit = name(variable.unit);
    let whole = match instance.is_empty() {
        true => format!("{{{unit}}}.{name_in_rtl}"),
        false => format!("{{{unit}}}.{instance}.{name_in_rtl}"),
    };
    variable.fields.iter().map(move |field| RegisterEntry {
        register: format!("{}{}", path(variable.unit), field.register),
        value: Some(value(variable, field, &whole)),
        ..entry()
    })
}

/// The bits of a register in its variable.
fn value(variable: &Variable, field: &Field, whole: &str) -> Term {
    let unpacked = variable.group.info().array == Some(Array::Unpacked);
    let stride = variable.bits / variable.count;
    let (signal, lsb, bits) = if unpacked {
        let element = field.lsb / stride;
        let used: u32 =
            variable.fields.iter().filter(|f| f.lsb / stride == 0).map(|f| f.width).sum();
        (format!("{whole}[{element}]"), field.lsb % stride, used)
    } else {
        (whole.to_owned(), field.lsb, variable.bits)
    };
    let signal = Term::Text(signal);
    if field.width == bits {
        return signal;
    }
    Term::Slice(SliceTerm {
        slice: Box::new(signal),
        msb: Number::Value(u64::from(lsb + field.width - 1)),
        lsb: Number::Value(u64::from(lsb)),
    })
}

fn entry() -> RegisterEntry {
    RegisterEntry {
        register: String::new(),
        value: None,
        exclude: None,
        offset: 0,
        from: None,
        condition: None,
        while_register: None,
        note: None,
    }
}
