// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reports of differing output ports are as detailed as reports of registers.

use drra_case::Case;
use drra_fabric::PortId;
use drra_isa::{ColumnId, Unit};
use drra_lockstep::{Mismatch, MismatchKind, PortDifference, RunSetup, Value, find};
use drra_report::{Colouring, Report, html::document::UNLINKED};
use drra_testkit::{AccessPort, Fault, FaultyDesign};

use crate::{report_of, report_of_outcome, setup};

/// An IO of cell (0,2) writes three blocks to the output buffer, with words 0 and 3 masked.
fn case() -> Case {
    let text = r#"{
      "version": 1, "name": "ports", "isa": "r4", "seed": 1,
      "fabric": {"columns": 8, "tile_rows": 2, "rf_words": 64, "sram_blocks": 128},
      "io_cells": [[0, 2]],
      "cells": [{"row": 0, "col": 2, "text": "IO (rw=w, init_addr=5, l1_iter=2, l1_step=1, mask=9)\nWAIT (cycle=20)\nHALT ()\n"}]
    }"#;
    drra_case::parse(text).unwrap()
}

fn column() -> ColumnId {
    ColumnId::new(2).unwrap()
}

/// The report of a bit of a port that flips with every access.
fn report(port: PortId, bit: u32) -> Report {
    let case = case();
    let faulty = FaultyDesign::new(
        setup().design,
        Fault::Access(AccessPort { port, column: column(), bit }),
    );
    report_of(&case, &faulty, "again")
}

/// The report contains the port, its bits and words, the IO that drives it, and its column in the picture and in the
/// timeline.
#[test]
fn a_port_has_what_a_register_has() {
    let report = report(PortId::IoOutMask, 3);
    assert_eq!(report.expected(), "io_out_mask[2] = 0x0009 masked words 0 3");
    assert_eq!(report.observed(), "io_out_mask[2] = 0x0001 masked words 0");
    let responsible = report.responsible.as_ref().unwrap();
    assert_eq!((responsible.cell.row(), responsible.cell.col(), responsible.address), (0, 2, 0));
    assert!(
        responsible.instruction.text().starts_with("IO rw=w"),
        "{}",
        responsible.instruction.text()
    );

    let text = report.text(Colouring::Plain);
    for words in [
        "io_out_mask[2] (16 bit)",
        "0x0009 masked words 0 3  0000 0000 0000 1001",
        ".... .... .... ^...",
        "inputs of the rule, cycle",
        "last changes of col[2]",
        "neighbours in cycle",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    // A port shows the registers of its own cycle.
    let looks = format!("inputs of the rule, cycle {} (", report.mismatch.cycle);
    assert!(text.contains(&looks), "{text}");
    assert!(!text.contains('"') && !text.contains("no instruction"), "{text}");

    let column = Unit::from(column());
    assert_eq!(report.mismatch.unit(), Some(column));
    let first = &report.spread[0];
    assert_eq!(first.units, vec![(column, 1)]);
    assert!(report.timeline.rows.iter().any(|row| row.unit == column), "{:?}", report.timeline);
    let page = report.page(None, UNLINKED);
    assert!(page.contains(r#"class="unit differs first" data-unit="col[2]""#), "{page}");
    assert!(page.contains("Differing bits: 3; words of the block: 3"), "{page}");
    assert!(!page.contains("no unit differs.</p>"), "{page}");
    assert_eq!(Report::parse(&report.to_json()).unwrap(), report);
}

/// The word in which a block differs is named, and the provenance of the block is traced.
#[test]
fn a_block_has_its_word_marked() {
    let report = report(PortId::IoOutData, 16 * 5 + 2);
    assert_eq!(report.expected(), "word 5 of io_out_data[2] = 0x0000 (0)");
    assert_eq!(report.observed(), "word 5 of io_out_data[2] = 0x0004 (4)");
    let text = report.text(Colouring::Plain);
    assert!(text.contains("bit 82") && text.contains("words     │ 5"), "{text}");
    assert!(!report.path.is_empty(), "{text}");
}

/// An address is shown as a number, in hexadecimal and decimal.
#[test]
fn an_address_is_a_number() {
    let report = report(PortId::IoOutAddr, 0);
    assert_eq!(report.expected(), "io_out_addr[2] = 0x0000005 (5)");
    assert_eq!(report.observed(), "io_out_addr[2] = 0x0000004 (4)");
}

/// A cell that is idle on only one side is the unit of the mismatch, and its last instruction is responsible.
#[test]
fn a_cell_that_is_not_idle_is_named() {
    let case = case();
    let mut outcome = find(&case, &setup(), &mut ()).unwrap();
    let kind = MismatchKind::Port(vec![PortDifference {
        port: PortId::CellIdle,
        column: None,
        golden: Value::new(vec![0xfffb], 16),
        dut: Value::new(vec![0xffff], 16),
    }]);
    let fault = Fault::Access(AccessPort { port: PortId::IoOutAddr, column: column(), bit: 0 });
    let faulty = RunSetup { design: &FaultyDesign::new(setup().design, fault), ..setup() };
    let cycle = find(&case, &faulty, &mut ()).unwrap().mismatch.unwrap().cycle;
    outcome.mismatch = Some(Mismatch { cycle, kind });
    let report = report_of_outcome(&case, setup(), outcome, "again");
    assert_eq!(report.mismatch.unit().map(|u| u.to_string()).as_deref(), Some("cell[0][2]"));
    let responsible = report.responsible.as_ref().unwrap();
    assert_eq!((responsible.cell.row(), responsible.cell.col()), (0, 2));
}
