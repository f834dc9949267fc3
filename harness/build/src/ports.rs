// SPDX-License-Identifier: MIT OR Apache-2.0
//! Checks that the top module of a design has the ports that the bridge drives and reads (chapter 5, section 5).

use std::{collections::BTreeMap, fmt};

use drra_geometry::Geometry;

/// The direction of a port, and its width in bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    input: bool,
    width: u32,
}

/// `input of 27 bits`
impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.input { "input" } else { "output" };
        let s = if self.width == 1 { "" } else { "s" };
        write!(f, "{direction} of {} bit{s}", self.width)
    }
}

/// A port that the module lacks, or that differs from the expected one.
#[derive(Debug, thiserror::Error)]
pub enum PortProblem {
    /// No port has this name.
    #[error("it has no port `{0}`, {1}")]
    Missing(&'static str, Port),
    /// The port has a different direction or width. Contains the actual and the expected port.
    #[error("its port `{0}` is an {found}, expected an {expected}", found = .1, expected = .2)]
    Other(&'static str, Port, Port),
    /// A fabric has no input of this name, so the bridge gives it no value.
    #[error("its `{0}`, {1}, is not a port of a fabric, so nothing would drive it")]
    Undriven(String, Port),
}

/// The ports of a fabric of a given size.
fn expected(size: &Geometry) -> [(&'static str, Port); 28] {
    let &Geometry { columns, tile_rows, rf_words, sram_blocks } = size;
    let [cols, tile_rows, rf_words, sram_blocks] =
        [columns, tile_rows, rf_words, sram_blocks].map(|number| number as u32);
    // Number of bits that can represent the numbers below n.
    let below = |n: u32| n.saturating_sub(1).checked_ilog2().map_or(0, |log| log + 1);
    let input = |width| Port { input: true, width };
    let output = |width| Port { input: false, width };
    let column = input(below(cols).max(1));
    [
        ("clk_i", input(1)),
        ("rst_ni", input(1)),
        ("prog_valid_i", input(1)),
        ("prog_instr_i", input(27)),
        ("prog_imm_i", input(1)),
        ("prog_row_sel_i", input(2)),
        ("prog_col_sel_i", input(cols)),
        ("sram_init_valid_i", input(1)),
        ("sram_init_row_i", input(below(tile_rows + 1))),
        ("sram_init_col_i", column),
        ("sram_init_addr_i", input(below(sram_blocks))),
        ("sram_init_data_i", input(256)),
        ("rf_init_valid_i", input(1)),
        ("rf_init_row_i", input(1)),
        ("rf_init_col_i", column),
        ("rf_init_block_i", input(below(rf_words / 16))),
        ("rf_init_data_i", input(256)),
        ("io_cell_i", input(2 * cols)),
        ("io_in_data_i", input(256 * cols)),
        ("io_in_en_o", output(cols)),
        ("io_in_addr_o", output(25 * cols)),
        ("io_out_en_o", output(cols)),
        ("io_out_addr_o", output(25 * cols)),
        ("io_out_data_o", output(256 * cols)),
        ("io_out_mask_o", output(16 * cols)),
        ("cell_idle_o", output(2 * cols)),
        ("all_idle_o", output(1)),
        ("agu_busy_o", output(1)),
    ]
}

/// Problems with the ports that the header of a model declares in lines like `VL_IN8(&name,msb,lsb)`.
pub(crate) fn problems(header: &str, size: &Geometry) -> Vec<PortProblem> {
    let declared: BTreeMap<&str, Port> = header.lines().filter_map(port).collect();
    let all = BTreeMap::from(expected(size));
    let wrong = all.iter().filter_map(|(name, expected)| match declared.get(name) {
        None => Some(PortProblem::Missing(name, *expected)),
        Some(found) if found == expected => None,
        Some(found) => Some(PortProblem::Other(name, *found, *expected)),
    });
    let undriven = declared.iter().filter(|(name, port)| port.input && !all.contains_key(*name));
    wrong.chain(undriven.map(|(n, port)| PortProblem::Undriven((*n).to_owned(), *port))).collect()
}

/// The port that a line of the header declares; `None` for other lines.
fn port(line: &str) -> Option<(&str, Port)> {
    let rest = line.trim().strip_prefix("VL_")?;
    let input = rest.starts_with("IN") && !rest.starts_with("INOUT");
    let inside = rest.split_once("(&")?.1;
    let mut parts = inside.trim_end_matches([';', ')']).split(',');
    let name = parts.next()?;
    let (msb, lsb): (u32, u32) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    Some((name, Port { input, width: msb.checked_sub(lsb)? + 1 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_port_is_driven_and_read() {
        let size = Geometry::default();
        let line = |(name, port): &(&str, Port)| {
            format!("VL_{}(&{name},{},0);\n", if port.input { "IN" } else { "OUT" }, port.width - 1)
        };
        let header: String = expected(&size).iter().map(line).collect();
        let found = |header: &str| -> Vec<String> {
            problems(header, &size).iter().map(ToString::to_string).collect()
        };
        assert!(found(&(header.clone() + "VL_OUT8(&more_o,0,0);\n")).is_empty());
        let undriven =
            "its `test_en_i`, input of 1 bit, is not a port of a fabric, so nothing would drive it";
        assert_eq!(found(&(header.clone() + "VL_IN8(&test_en_i,0,0);\n")), [undriven]);
        assert_eq!(found(&header.replace("clk_i", "clk")).len(), 2);
    }
}
