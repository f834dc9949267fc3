// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bundled map.

use drra_isa::Geometry;
use drra_recorded::{
    SignalNames,
    map::{GoldenTest, MapFile, RegisterMap, SignalMap},
};

use super::names;

/// The map of the published fabric.
const PUBLISHED: &str = include_str!("../../../maps/silago-published.map");

/// Without any signals, the bundled map has no problems other than missing signals.
#[test]
fn the_shipped_map_is_well_formed() {
    let file = MapFile::parse("published", PUBLISHED).unwrap();
    let error = SignalMap::resolve(&file, &SignalNames::default(), &Geometry::default())
        .expect_err("no signals");
    let what: Vec<&str> = error.problems.iter().map(|p| p.what.as_str()).collect();
    assert_eq!(what.len(), 3, "clock, reset, registers: {error}");
    assert!(what[..2].iter().all(|w| w.starts_with("the waveform has no signal")), "{error}");
    assert!(what[2].starts_with("the map matches nothing"), "{error}");
}

/// The ports are found in the exported bench, in a bench with short names, and at the fabric itself.
#[test]
fn the_shipped_map_knows_other_benches() {
    let file = MapFile::parse("published", PUBLISHED).unwrap();
    let widths = [1, 27, 1, 2, 8, 1, 2, 3, 7, 256];
    for bench in [
        "prog_valid prog_instr prog_imm prog_row_sel prog_col_sel sram_init_valid sram_init_row sram_init_col \
         sram_init_addr sram_init_data",
        "ld instr imm rb cb en row col addr data",
        "dut.instr_ld dut.instr_inp dut.immediate dut.seq_address_rb dut.seq_address_cb dut.tb_en dut.tb_row \
         dut.tb_col dut.tb_addrs dut.tb_inp",
    ] {
        let ports: Vec<String> = bench.split(' ').map(|port| format!("tb.{port}")).collect();
        let ports = ports.iter().map(String::as_str).zip(widths);
        let pc = "tb.dut.mtrf_cols(0).mtrf_rows(0).a.b.silego_cell.mtrf_cell.seq_gen.pc";
        let all: Vec<_> = ports.chain([("tb.clk", 1), ("tb.rst_n", 1), (pc, 6)]).collect();
        let map = SignalMap::resolve(&file, &names(&all), &Geometry::default()).unwrap();
        assert_eq!(map.ports.inputs.len(), file.ports.len(), "{:?}", map.ports.lacking);
    }
}

/// Reset leaves the code of src_block=dpu, src_port=1, hb_index=7 in the published switchbox (chapter 5, section 8,
/// deviation 7): whether an SWB stored it is unknown there, so it is not compared.
#[test]
fn a_code_that_looks_like_reset_is_not_compared() {
    let file = MapFile::parse("published", PUBLISHED).unwrap();
    let silego = "tb.dut.mtrf_cols(0).mtrf_rows(0).a.b.silego_cell.config_swb";
    let signals = ["data_from_other_row", "sel_r_ext_out(4)", "sel_r_int(4)"]
        .map(|s| format!("{silego}.{s}"));
    let signals = names(&signals.each_ref().map(|path| (path.as_str(), 6)));
    let map = RegisterMap::resolve(&file, &signals, &Geometry::default()).unwrap();
    let [register] = &map.registers[..] else { panic!("{:?}", map.registers) };
    let unconfigured = GoldenTest { location: register.location, value: 0b01_1111, equals: false };
    assert_eq!(register.location.to_string(), "cell[0][0].swb.swb_cfg[4]");
    assert_eq!(register.while_golden, Some(unconfigured));
}
