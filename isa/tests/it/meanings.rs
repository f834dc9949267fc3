// SPDX-License-Identifier: MIT OR Apache-2.0
//! What values mean in the revisions.

use drra_isa::Assembler;
use drra_isa::Revision;

/// The meanings of 0 and 1 in r0: the fields of one bit have the names of r1.
#[test]
fn r0_knows_the_names_it_speaks_of() {
    let (r0, r1) = (Revision::R0.isa(), Revision::R1.isa());
    let mut named = 0;
    for (old, new) in r0.instructions.iter().zip(&r1.instructions) {
        for (field, later) in old.fields.iter().zip(&new.fields) {
            let expected = if later.width == 1 { &later.values[..] } else { &[] };
            assert_eq!(field.values, expected, "{}.{}", old.name, field.name);
            named += usize::from(!field.values.is_empty());
        }
    }
    assert_eq!(named, 30);
    let words = |text: &str| {
        let assembler = Assembler { revision: Revision::R0, ..Default::default() };
        assembler.assemble(text).unwrap().image
    };
    let refi = |s: &str| format!("REFI extra=2, init_addr_sd={s}");
    assert_eq!(words(&refi("d")), words(&refi("1")));
    assert_eq!(words("REFI extra=2, dimarch=y"), words("REFI extra=2, dimarch=1"));
    assert_eq!(words("REFI extra=1, l1_step_sign=-"), words("REFI extra=1, l1_step_sign=1"));
    // y when the rows are equal, as in r1 and r2.
    assert_eq!(words("SWB send_to_other_row=y"), words("SWB send_to_other_row=0"));
    assert_eq!(words("ROUTE direction=w"), words("ROUTE direction=1"));
}
