// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface as a host sees it. The design is a second golden model.

// The contexts, texts and arrays of these tests are as the header requires.
#![allow(clippy::undocumented_unsafe_blocks)]

use std::{
    ffi::{CStr, CString},
    fs,
    path::{Path, PathBuf},
    ptr::{null, null_mut},
};

use super::*;

const MAP: &str = "clock rising d.clk\nreset low d.rst_n\n\
                   cell[r][c].seq.pc = first(d.none[r][c], d.cell[r][c].seq.pc)\n\
                   cell[r][c].rf.mem[a] = d.cell[r][c].rf.mem[a]\n";

/// A map with the load ports, for the only word of a program: HALT for cell (0,0).
const PORTS: &str = "clock rising d.clk\nreset low d.rst_n\ncell[0][0].seq.pc = d.cell[0][0].seq.pc\n\
                     port sram_init_valid = 1'b0\nport rf_init_valid = 1'b0\nport io_cell = 1'b0\n\
                     port prog_valid = d.prog_valid\nport prog_instr = 27'd0\nport prog_imm = 1'b1\n\
                     port prog_row_sel = 2'd1\nport prog_col_sel = 8'd1\n";

fn program() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../isa/vec_add.sasm").to_owned()
}

fn c(text: &str) -> CString {
    CString::new(text).unwrap()
}

fn shown(text: *const c_char) -> String {
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
}

/// A context that is destroyed in the end.
struct Host(*mut Context);

impl Drop for Host {
    fn drop(&mut self) {
        unsafe { drra_destroy(self.0) };
    }
}

impl Host {
    fn create(size: Option<&str>, map: Option<&Path>, file: Option<&str>) -> (Self, c_int) {
        let mut context = null_mut();
        let size = size.map(c);
        let map = map.map(|map| c(map.to_str().unwrap()));
        let file = file.map(c);
        let at = |text: &Option<CString>| text.as_ref().map_or(null(), |text| text.as_ptr());
        let status = unsafe { drra_create(at(&size), at(&map), at(&file), &mut context) };
        (Self(context), status)
    }

    fn model() -> Self {
        Self::of(&program())
    }

    fn of(program: &str) -> Self {
        let (host, status) = Self::create(None, None, Some(program));
        assert_eq!(status, DRRA_AGREED);
        host
    }

    fn errors(&self) -> Vec<String> {
        let texts = (0..).map(|n| unsafe { drra_error(self.0, n) });
        texts.take_while(|text| !text.is_null()).map(shown).collect()
    }

    fn read(&self, register: &str) -> Option<(u64, u32)> {
        let (mut words, mut bits) = ([0; 4], 0);
        let status =
            unsafe { drra_read(self.0, c(register).as_ptr(), words.as_mut_ptr(), 4, &mut bits) };
        (status == DRRA_AGREED).then_some((words[0], bits))
    }

    fn stimulus(&self, cycle: u64, port: &str, unit: u32) -> [u64; 4] {
        let (mut words, port) = ([7; 4], c(port));
        let status =
            unsafe { drra_stimulus(self.0, cycle, port.as_ptr(), unit, words.as_mut_ptr(), 4) };
        assert_eq!(status, DRRA_AGREED, "{:?}", self.errors());
        words
    }

    fn needed(&self) -> impl Iterator<Item = String> {
        let paths = (0..).map(|n| unsafe { drra_needed(self.0, n) });
        paths.take_while(|path| !path.is_null()).map(shown)
    }

    fn signal(&self, path: &str, bits: u32) -> usize {
        let mut number = 0;
        let status = unsafe { drra_signal(self.0, c(path).as_ptr(), bits, &mut number) };
        assert_eq!(status, DRRA_AGREED, "{:?}", self.errors());
        number
    }

    fn set(&self, number: usize, value: u64, unknown: u64) {
        let value =
            [0, 32].map(|at| VecVal { aval: (value >> at) as u32, bval: (unknown >> at) as u32 });
        assert_eq!(unsafe { drra_set(self.0, number, value.as_ptr()) }, DRRA_AGREED);
    }
}

/// A folder with a map.
fn folder(map: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.map");
    fs::write(&path, map).unwrap();
    (folder, path)
}

/// Compares `vec_add` at this number of edges, the first in reset, with a design in which bit 0 of a register is inverted, or
/// unknown, from a cycle on.
fn compared(map: &Path, fault: Option<(&str, u64, bool)>, edges: u64) -> Host {
    driven(&program(), map, fault, edges)
}

/// Like [`compared`], for any program.
fn driven(program: &str, map: &Path, fault: Option<(&str, u64, bool)>, edges: u64) -> Host {
    let design = Host::of(program);
    let (host, status) = Host::create(None, Some(map), Some(program));
    assert_eq!(status, DRRA_AGREED, "{:?}", host.errors());
    let mut signals = Vec::new();
    for path in host.needed() {
        let name = path.strip_prefix("d.").unwrap().to_owned();
        let port = (name == "prog_valid").then_some((0, 1));
        if let Some((_, bits)) = design.read(&name).or(port) {
            signals.push((host.signal(&path, bits), name));
        } else if name == "clk" || name == "rst_n" {
            host.signal(&path, 1);
        }
    }
    unsafe {
        assert_eq!(drra_bind(host.0), DRRA_AGREED, "{:?}", host.errors());
        let (mut clock, mut rising) = (9, false);
        assert_eq!(drra_clock(host.0, &mut clock, &mut rising), DRRA_AGREED);
        assert_eq!((clock, rising), (0, true));
        for edge in 0..edges {
            host.set(1, u64::from(edge > 0), 0);
            for (number, name) in &signals {
                let value = design.read(name).map(|(value, _)| value);
                let value =
                    value.unwrap_or_else(|| design.stimulus(edge.saturating_sub(1), name, 0)[0]);
                let faulty = fault.filter(|(at, from, _)| at == name && *from < edge);
                let unknown = u64::from(faulty.is_some_and(|(.., unknown)| unknown));
                let flip = u64::from(faulty.is_some_and(|(.., unknown)| !unknown));
                host.set(*number, value ^ flip, unknown);
            }
            drra_compare(host.0, edge);
            if edge > 0 {
                drra_step(design.0, 1);
            }
        }
    }
    host
}

fn finish(host: &Host, min_compared: f64) -> (c_int, String) {
    let mut text = null();
    let status = unsafe { drra_finish(host.0, min_compared, &mut text) };
    (status, shown(text))
}

/// C[i] = A[i] + B[i] with A = 0, 1, .. and B = 16, 17, ..; README gives the 98 cycles.
#[test]
fn the_golden_model_alone() {
    let host = Host::model();
    unsafe {
        assert_eq!((drra_cycle(host.0), drra_done(host.0)), (0, false));
        assert_eq!(drra_step(host.0, u64::MAX), DRRA_AGREED);
        assert_eq!((drra_cycle(host.0), drra_done(host.0)), (98, true));
        for i in 0..16 {
            let value = host.read(&format!("cell[0][0].rf.mem[{}]", 32 + i));
            assert_eq!(value, Some((16 + 2 * i, 16)));
        }
        assert_eq!(host.read("cell[0][8].seq.pc"), None);
        for (what, part) in
            [("case", "\"vec_add.sasm\""), ("lint", "findings"), ("registers", "seq.pc")]
        {
            assert!(shown(drra_json(host.0, c(what).as_ptr())).contains(part), "{what}");
        }
        assert!(drra_json(host.0, c("result").as_ptr()).is_null());
        assert_eq!(drra_step(host.0, 1 << 40), DRRA_BAD_INPUT);
    }
    assert_eq!(host.errors().len(), 3, "{:?}", host.errors());
}

/// Four rows of a tile and the register file are loaded first (chapter 1: one row per cycle), word 0 in the low bits.
#[test]
fn the_stimulus_in_any_order() {
    let host = Host::model();
    assert_eq!(host.stimulus(4, "prog_valid", 0)[0], 1);
    assert_eq!(host.stimulus(3, "prog_valid", 0)[0], 0);
    assert_eq!(host.stimulus(4, "prog_row_sel", 0)[0], 1);
    let row = [
        0x0013_0012_0011_0010,
        0x0017_0016_0015_0014,
        0x001b_001a_0019_0018,
        0x001f_001e_001d_001c,
    ];
    assert_eq!(host.stimulus(1, "sram_init_data", 0), row);
    assert_eq!(host.stimulus(1, "sram_init_addr", 0)[0], 1);
    assert_eq!(host.stimulus(0, "io_cell", 15)[0], 0);
    let mut words = [7; 4];
    unsafe {
        assert_eq!(drra_buffer(host.0, 7, 3, words.as_mut_ptr()), DRRA_AGREED);
        assert_eq!(words, [0; 4]);
        assert_eq!(drra_buffer(host.0, 8, 3, words.as_mut_ptr()), DRRA_BAD_INPUT);
        let data = c("sram_init_data");
        assert_eq!(
            drra_stimulus(host.0, 0, data.as_ptr(), 0, words.as_mut_ptr(), 3),
            DRRA_BAD_INPUT
        );
        assert_eq!(
            drra_stimulus(host.0, 0, data.as_ptr(), 1, words.as_mut_ptr(), 4),
            DRRA_BAD_INPUT
        );
    }
    assert!(host.errors()[1].contains("256 bits need 4 words"), "{:?}", host.errors());
}

/// The paths in alternatives, concatenations and conditions, but not those with `*`; a path that exists leads to others.
#[test]
fn the_paths_that_a_map_needs() {
    let (_folder, map) = folder(
        "clock rising d.clk\ncycle_0 when d.go\nlet seq = d.a | d.b\n\
         cell[0][0].seq.pc = first({seq}.one, (d.two, d.three)) while d.four\n\
         cell[0][1].seq.pc = d.*.five\nport prog_valid = d.six ? d.seven : ~d.eight\n",
    );
    let (host, _) = Host::create(None, Some(&map), None);
    let found: Vec<String> = host.needed().collect();
    for path in ["clk", "go", "a.one", "b.one", "two", "three", "four", "six", "seven", "eight"] {
        assert_eq!(
            found.iter().filter(|found| **found == format!("d.{path}")).count(),
            1,
            "{path}: {found:?}"
        );
    }
    assert!(!found.iter().any(|path| path.contains('*')));
    let number = host.signal("d.clk", 1);
    assert_eq!(host.signal("d.clk", 1), number);
    assert_eq!(unsafe { drra_signal(host.0, c("d.clk").as_ptr(), 2, null_mut()) }, DRRA_BAD_INPUT);
    assert_eq!(host.needed().collect::<Vec<_>>(), found);
    // The texts outlive a map that cannot be bound.
    unsafe {
        let texts = [0, 1].map(|n| drra_needed(host.0, n));
        assert_eq!(drra_bind(host.0), DRRA_BAD_INPUT);
        assert_eq!(texts.map(shown), found[..2]);
    }
}

#[test]
fn a_design_that_agrees() {
    let (folder, map) = folder(MAP);
    let host = compared(&map, None, 100);
    let done = unsafe { drra_done(host.0) };
    assert!(done);
    let (status, text) = finish(&host, 1.0);
    assert_eq!(status, DRRA_AGREED, "{text} {:?}", host.errors());
    assert!(text.starts_with("vec_add.sasm: golden model and simulation agree in "), "{text}");
    assert!(text.contains("\n  not compared: "), "{text}");
    let out = folder.path().join("out");
    let old = ["report.html", "report.txt", "wave.fst", "case.json", "program.sasm"];
    fs::create_dir(&out).unwrap();
    old.iter().for_each(|file| fs::write(out.join(file), "").unwrap());
    unsafe {
        assert_eq!(drra_report(host.0, c(out.to_str().unwrap()).as_ptr()), DRRA_AGREED);
        assert_eq!(drra_compare(host.0, 5000), DRRA_BAD_INPUT);
    }
    let json = fs::read_to_string(out.join("result.json")).unwrap();
    assert!(json.contains("\"exit\": 0") && out.join("junit.xml").exists(), "{json}");
    // The last two may be files of the caller.
    assert_eq!(old.map(|file| out.join(file).exists()), [false, false, false, true, true]);
    let host = compared(&map, None, 100);
    let (status, text) = finish(&host, 50.0);
    assert_eq!(status, DRRA_BAD_INPUT);
    assert!(text.contains(" of the state was compared; 50 % is required\n"), "{text}");
    assert_eq!(unsafe { drra_report(host.0, c(out.to_str().unwrap()).as_ptr()) }, DRRA_AGREED);
    let json = fs::read_to_string(out.join("result.json")).unwrap();
    assert!(json.contains("\"exit\": 2") && json.contains("not compared: only 2.5 %"), "{json}");
    assert!(fs::read_to_string(out.join("junit.xml")).unwrap().contains("<error "));
}

/// A case without `cycles` ends when the golden model is idle, also with the load ports in the map.
#[test]
fn a_case_without_a_length() {
    let (folder, map) = folder(PORTS);
    let program = folder.path().join("halt.sasm").display().to_string();
    fs::write(&program, "HALT\n").unwrap();
    for (edges, done, expected) in [(100, true, DRRA_AGREED), (3, false, DRRA_MISMATCH)] {
        let host = driven(&program, &map, None, edges);
        let found = unsafe { drra_done(host.0) };
        assert_eq!((found, finish(&host, 0.0).0), (done, expected), "{:?}", host.errors());
    }
    let host = driven(&program, &map, Some(("prog_valid", 1, true)), 4);
    for _ in 0..2 {
        let mut found = MaybeUninit::uninit();
        let status = unsafe { drra_first_difference(host.0, found.as_mut_ptr()) };
        assert_eq!(status, DRRA_BAD_INPUT);
        assert!(host.errors()[0].contains("prog_valid"), "{:?}", host.errors());
        assert_eq!(finish(&host, 0.0).0, DRRA_BAD_INPUT);
    }
}

#[test]
fn the_first_difference() {
    for (unknown, design) in [(false, "0x0001"), (true, "x")] {
        let (folder, map) = folder(MAP);
        let host = compared(&map, Some(("cell[1][3].rf.mem[5]", 40, unknown)), 100);
        let mut found = std::mem::MaybeUninit::<Difference>::uninit();
        let found = unsafe {
            assert_eq!(drra_first_difference(host.0, found.as_mut_ptr()), DRRA_MISMATCH);
            found.assume_init()
        };
        assert_eq!((found.cycle, shown(found.register_name)), (40, "cell[1][3].rf.mem[5]".into()));
        assert_eq!(shown(found.design_name), "d.cell[1][3].rf.mem[5]");
        assert!(shown(found.design).contains(design), "{}", shown(found.design));
        assert!(shown(found.text).contains(" in cycle 40: cell[1][3].rf.mem[5] "));
        let (status, text) = finish(&host, 0.0);
        assert_eq!(status, DRRA_MISMATCH);
        assert!(
            text.starts_with("vec_add.sasm: MISMATCH in cycle 40: cell[1][3].rf.mem[5] "),
            "{text}"
        );
        let out = folder.path().join("out");
        assert_eq!(unsafe { drra_report(host.0, c(out.to_str().unwrap()).as_ptr()) }, DRRA_AGREED);
        for file in ["report.html", "report.json", "case.json", "wave.fst", "junit.xml"] {
            assert!(out.join(file).exists(), "{file}");
        }
        assert!(fs::read_to_string(out.join("result.json")).unwrap().contains("\"exit\": 1"));
    }
}

/// All errors are counted, and 64 are kept.
#[test]
fn errors_are_listed() {
    for (size, file, part) in [
        (Some("9000x2"), Some(program()), "columns"),
        (None, Some("none.sasm".to_owned()), "none.sasm: there is no such file; check the path"),
        (None, None, "nothing to do"),
    ] {
        let (host, status) = Host::create(size, None, file.as_deref());
        assert_eq!(status, DRRA_BAD_INPUT);
        assert!(host.errors()[0].contains(part), "{:?}", host.errors());
    }
    let (_folder, map) = folder(MAP);
    let host = compared(&map, None, 1);
    let (status, text) = finish(&host, 0.0);
    assert_eq!(status, DRRA_BAD_INPUT);
    assert!(text.contains("none of the 1 clock edges"), "{text}");
    assert_eq!(host.errors(), [text]);
    let host = Host::model();
    unsafe {
        (0..100).for_each(|_| assert_eq!(drra_bind(host.0), DRRA_BAD_INPUT));
        assert_eq!(drra_error_count(host.0), 100);
    }
    assert_eq!(host.errors().len(), 64);
}

/// A panic is a status or an empty result, and the context can only be asked for its errors afterwards.
#[test]
fn a_panic_is_a_tool_failure() {
    type Call = (&'static str, fn(*mut Context) -> c_int);
    let calls: [Call; 17] = [
        ("needed", |c| unsafe { if drra_needed(c, 0).is_null() { 3 } else { 0 } }),
        ("signal", |c| unsafe { drra_signal(c, null(), 1, null_mut()) }),
        ("bind", |c| unsafe { drra_bind(c) }),
        ("clock", |c| unsafe { drra_clock(c, null_mut(), null_mut()) }),
        ("stimulus", |c| unsafe { drra_stimulus(c, 0, null(), 0, null_mut(), 0) }),
        ("buffer", |c| unsafe { drra_buffer(c, 0, 0, null_mut()) }),
        ("set", |c| unsafe { drra_set(c, 0, null()) }),
        ("compare", |c| unsafe { drra_compare(c, 0) }),
        ("done", |c| unsafe { if drra_done(c) { 3 } else { 0 } }),
        ("first_difference", |c| unsafe { drra_first_difference(c, null_mut()) }),
        ("finish", |c| unsafe { drra_finish(c, 0.0, null_mut()) }),
        ("report", |c| unsafe { drra_report(c, null()) }),
        ("save_case", |c| unsafe { drra_save_case(c, null()) }),
        ("step", |c| unsafe { drra_step(c, 1) }),
        ("cycle", |c| unsafe { if drra_cycle(c) == 0 { 3 } else { 0 } }),
        ("read", |c| unsafe { drra_read(c, null(), null_mut(), 0, null_mut()) }),
        ("json", |c| unsafe { if drra_json(c, null()).is_null() { 3 } else { 0 } }),
    ];
    for (name, call) in calls {
        let host = Host::model();
        unsafe { (*host.0).fault = true };
        assert_eq!(call(host.0), DRRA_TOOL_FAILURE, "{name}");
        unsafe { (*host.0).fault = false };
        assert_eq!(call(host.0), DRRA_TOOL_FAILURE, "{name}");
        let errors = host.errors();
        assert!(errors[0].contains("a fault") && errors[0].contains("context.rs"), "{errors:?}");
        assert!(errors[1].contains("destroy this context"), "{errors:?}");
    }
}
