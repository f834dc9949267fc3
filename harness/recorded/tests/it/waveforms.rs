// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names and values of waveforms of all formats.

use std::{fs, ops::ControlFlow, path::Path};

use drra_recorded::{SignalKind, Waveform, WaveformFormat};

use crate::support::{Folder, VCD, all, changes, counter_fst, fixture, play};

#[test]
fn values_of_a_vcd() {
    let folder = Folder::new();
    let path = folder.write(VCD);
    let found = changes(&path, &["tb.clk", "tb.ck", "tb.dut.pc", "tb.dut.state", "tb.dut.odd(2)"]);
    assert_eq!(
        found,
        [
            "0: tb.clk=0 tb.ck=0 tb.dut.pc=xxxxxx tb.dut.state=idle tb.dut.odd(2)=xxxxxxx0",
            "5: tb.clk=1 tb.ck=1 tb.dut.pc=000100",
            "10: tb.clk=0 tb.ck=0 tb.dut.state=run",
            "15: tb.clk=1 tb.ck=1",
        ]
    );
    let wide = format!("1{}x1", "0".repeat(69));
    assert_eq!(
        changes(&path, &["tb.dut.mem.[3]", "tb.dut.bit[4]", "tb.dut.wide"]),
        [
            format!("0: tb.dut.mem.[3]=00000101 tb.dut.bit[4]=1 tb.dut.wide={:072b}", 1),
            format!("15: tb.dut.wide={wide}")
        ]
    );
    let waveform = Waveform::open(&path).unwrap();
    let kind = |path| waveform.names().signal(waveform.names().find(path).unwrap()).kind;
    assert_eq!(kind("tb.dut.heat"), SignalKind::Real);
    assert_eq!(kind("tb.dut.tick"), SignalKind::Real);
    assert_eq!(kind("tb.dut.state"), SignalKind::Text);
    assert_eq!(kind("tb.dut.pc"), SignalKind::Bits { width: 6 });
    assert_eq!(waveform.format(), WaveformFormat::Vcd);
}

#[test]
fn a_vcd_with_a_byte_order_mark() {
    let folder = Folder::new();
    let signals = ["tb.clk", "tb.dut.pc", "tb.dut.state"];
    let plain = changes(&folder.write(VCD), &signals);
    assert_eq!(changes(&folder.write(format!("\u{feff}{VCD}")), &signals), plain);
}

/// Some simulators write text as the values of variables of 0 bits. Other values of such variables are ignored.
#[test]
fn text_in_variables_of_0_bits() {
    let folder = Folder::new();
    let path = folder.write(
        "$scope module t $end\n$var wire 1 ! clk $end\n$var wire 0 \" state  [0:0] $end\n  $var reg 0 # none\n$end\n$var wire 0 10 ten $end\n\
         $var wire 2 $ two $end\n$enddefinitions $end\n#0\n$dumpvars\n0!\nbx \"\nb #\nb10 $\n$end\n#5\n1!\nsRUN \"\n0#\n\
         #10\nsidle \"\n0\"\nb0 #\n0!\nb1 $\n",
    );
    assert_eq!(
        changes(&path, &["t.clk", "t.state", "t.none", "t.two", "t.ten"]),
        ["0: t.clk=0 t.two=10", "5: t.clk=1 t.state=RUN", "10: t.clk=0 t.state=idle t.two=01",]
    );
    let waveform = Waveform::open(&path).unwrap();
    let state = waveform.names().find("t.state").unwrap();
    assert_eq!(waveform.names().signal(state).kind, SignalKind::Text);
}

/// In FST, GHDL leaves out the outermost scope, arrays and records.
#[test]
fn values_of_an_fst_of_ghdl() {
    let path = fixture("small.fst");
    let lines = changes(&path, &["state", "nine"]);
    assert_eq!(lines[0], "0: state=idle nine=xx01xx01x");
    assert_eq!(lines[1..], ["15000000: state=load", "25000000: state=run", "35000000: state=idle"]);
}

#[test]
fn values_of_a_ghw() {
    let path = fixture("small.ghw");
    let waveform = Waveform::open(&path).unwrap();
    let state = waveform.names().signal(waveform.names().find("small.state").unwrap());
    assert_eq!(state.literals, ["idle", "load", "run"]);
    let signals =
        ["small.state", "small.mem[1]", "small.both.data", "small.flags", "small.rows(1).copy"];
    let short = |line: &String| line.replace("small.", "").replace("rows(1).", "");
    let lines: Vec<String> = changes(&path, &signals).iter().map(short).collect();
    assert_eq!(
        lines,
        [
            "0: state=00 mem[1]=0000 both.data=00000 flags=100 copy=0000",
            "5000000: both.data=10011 flags=001",
            "15000000: state=01 mem[1]=1010 flags=010 copy=1010",
            "25000000: state=10 flags=100",
            "35000000: state=00 flags=001",
        ]
    );
    // If a signal changes in several delta cycles at one time, its last value is used.
    let count: Vec<_> = changes(&path, &["small.count"])
        .iter()
        .map(|line| line[line.len() - 5..].to_owned())
        .collect();
    assert_eq!(count, ["00000", "00011", "00111", "01011", "01111"]);
    assert_eq!(changes(&path, &["small.nine"]), ["0: small.nine=xx01xx01x"]);
}

/// The values follow from the assignments in `arrays.vhd`.
#[test]
fn arrays_and_parts_of_a_ghw() {
    let path = fixture("arrays.ghw");
    assert_eq!(Waveform::open(&path).unwrap().names().all().count(), 27);
    let signals = ["bits[0][3]", "bits[1][4]", "table[2][1]", "pair.words[0]", "current", "one"];
    let lines = ["0: x 0 011 1110 01 1", "5000000: x 111 0111 10"];
    let ports = ["vector", "parts(2).part.low", "parts(2).part.high", "parts(0).part.bit"];
    let of_ports = ["0: 0001 01 00 1", "5000000: 0110 10 01 0"];
    for (signals, lines) in [(&signals[..], lines), (&ports, of_ports)] {
        let signals: Vec<_> = signals.iter().map(|signal| format!("arrays.{signal}")).collect();
        let found = changes(&path, &signals.iter().map(String::as_str).collect::<Vec<_>>());
        let value = |word: &str| word.rsplit('=').next().unwrap().to_owned();
        let values = |line: &String| line.split(' ').map(value).collect::<Vec<_>>().join(" ");
        assert_eq!(found.iter().map(values).collect::<Vec<_>>(), lines);
    }
}

#[test]
fn errors_of_a_ghw_have_their_places() {
    let folder = Folder::new();
    let bytes = fs::read(fixture("small.ghw")).unwrap();
    let cycles = bytes.windows(4).position(|window| window == b"CYC\0").unwrap();
    let error = |from: usize, new: &[u8]| {
        let damaged = [&bytes[..from], new, &bytes[from + new.len()..]].concat();
        play(&folder.write(damaged)).unwrap_err().to_string()
    };
    assert!(error(cycles, b"CYX").contains("no section begins before this byte"));
    assert!(error(cycles + 12, &[0x7f]).contains("there is no signal 127"));
    let cut = play(&folder.write(&bytes[..cycles])).unwrap_err().to_string();
    assert!(
        cut.contains(&format!("byte {cycles}: the file ends here, without its last section; run"))
    );
}

#[test]
fn a_dump_is_played_again_and_broken_off() {
    let folder = Folder::new();
    let fst = folder.path().join("fst");
    counter_fst(&fst, 3);
    for (path, last) in [(folder.write(VCD), 15), (fst, 30), (fixture("small.ghw"), 40_000_000)] {
        let waveform = Waveform::open(&path).unwrap();
        for _ in 0..2 {
            let mut time = 0;
            let cut = waveform.play(&all(&waveform), &mut |time_step| {
                time = time_step.time;
                ControlFlow::Continue(())
            });
            assert_eq!((time, cut.unwrap()), (last, None), "{path:?}");
        }
        let mut instants = 0;
        waveform
            .play(&all(&waveform), &mut |_| {
                instants += 1;
                ControlFlow::Break(())
            })
            .unwrap();
        assert_eq!(instants, 1);
    }
}

#[test]
fn what_is_no_dump_says_so() {
    let folder = Folder::new();
    let error = |bytes: &[u8]| play(&folder.write(bytes)).unwrap_err().to_string();
    assert!(error(b"").contains("is empty"));
    assert!(error(b"\x1f\x8b\x08").contains("decompress it with `gunzip`"));
    for bytes in [&b"\0"[..], b"\0\0\0", b"hello", &[0xff; 5000]] {
        assert!(error(bytes).contains("is not a waveform: expected VCD"), "{bytes:?}");
    }
    let error = |path: &Path| play(path).unwrap_err().to_string();
    assert!(error(folder.path()).contains("is not a regular file"));
    assert!(error(&folder.path().join("none")).contains("none` cannot be read: "));
}

/// The messages of the reader arrive, each with the remedy for its cause.
#[test]
fn errors_of_a_vcd_have_their_remedies() {
    let folder = Folder::new();
    for (from, to, what, remedy) in [
        ("#5\n", "b1\n#5\n", "line 29: the value before this line", "on one line"),
        ("#5\n", "#five\n", "line 28: expected a time after `#`", "write times as"),
        ("#10\n", "#3\n", "time goes back from 5 to 3", "as a file of its own"),
        ("$end\n#0", "$end #0", "line 16: unexpected text", "begin a new line"),
        ("$dumpvars", "$dumpports", "extended VCD (EVCD)", "use `$dumpvars`"),
        ("reg 6 \"", "port [5:0] \"", "extended VCD (EVCD)", "use `$dumpvars`"),
        ("reg 6", "reg 4000000000", "an impossible width", "leave this signal out"),
        ("reg 6", "sort 6", "cannot be read as VCD: unknown var type", "or write FST instead"),
        ("$enddefinitions $end\n", "", "of the definitions", "simulation again to the end"),
    ] {
        let text = VCD.replacen(from, to, 1);
        let text = if to.is_empty() { &text[..text.find("#0").unwrap()] } else { &text[..] };
        let error = play(&folder.write(text)).unwrap_err().to_string();
        let (found, help) = error.rsplit_once("; ").unwrap();
        assert!(found.contains(what) && help.contains(remedy), "{to}: {error}");
    }
}

#[test]
fn cut_files_are_noticed() {
    let folder = Folder::new();
    let cut = |bytes: &[u8]| play(&folder.write(bytes)).map(|(_, cut)| cut);
    let values = VCD.find("b1000").unwrap();
    assert_eq!(cut(VCD.as_bytes()).unwrap(), None);
    let found = cut(&VCD.as_bytes()[..values + 7]).unwrap();
    assert_eq!(found.unwrap(), "the file ends in the middle of a line");
    // Half a value is ignored.
    let lines = changes(&folder.path().join("waveform"), &["tb.dut.wide"]);
    assert_eq!(lines.len(), 1);
    let definitions = cut(&VCD.as_bytes()[..200]).unwrap_err().to_string();
    assert!(definitions.contains("in the middle of the definitions"), "{definitions}");
    let fst = folder.path().join("fst");
    counter_fst(&fst, 20);
    for path in [fst, fixture("small.ghw"), fixture("small.fst")] {
        let bytes = fs::read(path).unwrap();
        for length in [bytes.len() - 1, bytes.len() / 2, 40] {
            let error = cut(&bytes[..length]).unwrap_err().to_string();
            assert!(error.contains("cannot be read as "), "{error}");
        }
    }
}

/// A number of five bytes in the place of any bytes: counts and references must not ask for gigabytes of memory.
#[test]
fn large_numbers_do_not_exhaust_memory() {
    let folder = Folder::new();
    let numbers = |path: &Path, number: &[u8]| {
        let bytes = fs::read(path).unwrap();
        let damaged = |at: usize| {
            let damaged = [&bytes[..at], number, &bytes[at + number.len()..]].concat();
            play(&folder.write(damaged)).err().map(|error| error.to_string())
        };
        (16..=bytes.len() - number.len()).filter_map(damaged).collect::<Vec<_>>()
    };
    let fst = folder.path().join("fst");
    counter_fst(&fst, 20);
    let fst = numbers(&fst, &[0xff, 0xff, 0xff, 0xff, 0x07]);
    assert!(fst.iter().any(|error| error.contains("a name belongs to signal")), "{fst:?}");
    let ghw = numbers(&fixture("small.ghw"), &[0xff, 0xff, 0xff, 0xff, 0xff, 0x3f]);
    assert!(ghw.iter().any(|error| error.contains("there is no signal 2199023255551")), "{ghw:?}");
}

#[test]
fn a_trace_is_a_dump() {
    let folder = Folder::new();
    let header = r#"{"format":"drra-trace","version":1,"program":"p","model":"rtl","fabric":{"rows":2,"columns":4,"tile_rows":1,"rf_words":64,"sram_blocks":128},"first_program_cycle":0}"#;
    let line = |cycle: u64, path: &str, value: &str| {
        format!("{{\"cycle\": {cycle}, \"path\": \"{path}\", \"value\": \"{value}\"}}\n")
    };
    let pc = "cell[1][3].seq.pc";
    let whole = format!(
        "{header}\n{}{}{}",
        line(1, pc, "0x05"),
        line(1, "tile[1][0].sram[2]", "0x2"),
        line(3, pc, "0x06")
    );
    let path = folder.write(&whole);
    assert_eq!(
        changes(&path, &["clock", pc]),
        [
            "0: clock=0 cell[1][3].seq.pc=000000",
            "1: clock=1",
            "2: clock=0 cell[1][3].seq.pc=000101",
            "3: clock=1",
            "4: clock=0",
            "5: clock=1",
            "6: clock=0 cell[1][3].seq.pc=000110",
            "7: clock=1",
        ]
    );
    let row = changes(&path, &["tile[1][0].sram[2]"]);
    assert_eq!(row.len(), 2);
    assert!(row[1].ends_with("0010"), "{row:?}");
    for (text, what) in [
        (format!("{}\n", header.replace("64", "65")), "not a valid fabric size"),
        (format!("{header}\n{{\n"), "line 2"),
        (format!("{header}\n{}", line(1, "cell[0][9].seq.pc", "0x0")), "the fabric has no"),
        (format!("{header}\n{}", line(1, pc, "0x40")), "does not fit in the 6 bits"),
        (format!("{header}\n{}", line(u64::MAX, pc, "0x1")), "exceeds the maximum"),
        (
            format!("{header}\n{}{}", line(2, pc, "0x1"), line(1, pc, "0x2")),
            "goes back from 2 to 1",
        ),
    ] {
        let error = play(&folder.write(text)).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
    let (last, cut) = play(&folder.write(&whole[..whole.len() - 9])).unwrap();
    assert_eq!((last, cut.is_some()), (3, true));
}

/// From version 2 on, the last line states the end; a trace without it is truncated.
#[test]
fn a_trace_tells_its_end() {
    let folder = Folder::new();
    let header = |version: u64| {
        format!(
            "{{\"format\":\"drra-trace\",\"version\":{version},\"fabric\":{{\"rows\":2,\"columns\":4,\
             \"tile_rows\":1,\"rf_words\":64,\"sram_blocks\":128}}}}\n"
        )
    };
    let change = "{\"cycle\": 2, \"path\": \"cell[0][0].seq.pc\", \"value\": \"0x1\"}\n";
    let end = "{\"last_cycle\": 5}\n";
    let whole = [&header(2), change, end].concat();
    let played = |text: &str| play(&folder.write(text));
    assert_eq!(played(&whole).unwrap(), (11, None));
    let missing = Some("the end marker is missing".to_owned());
    assert_eq!(played(&[&header(2), change].concat()).unwrap(), (5, missing));
    assert_eq!(played(&[&header(1), change].concat()).unwrap(), (5, None));
    for (text, what) in [
        ([&header(1), change, end].concat(), "line 3: neither a change nor the end marker"),
        (
            [&header(2), change, change, end].concat(),
            "line 3: the register changes twice in cycle 2",
        ),
        ([&header(2), end, change].concat(), "line 3: a line after the end marker"),
        ([&header(2), change, "{\"last_cycle\": 1}\n"].concat(), "goes back from 2 to 1"),
        ([&header(2), change, "{\"last_cycle\": 5, \"cycle\": 5}\n"].concat(), "line 3: neither"),
        (
            [&header(2), change, "{\"last_cycle\": 5, \"last_cycle\": 6}\n"].concat(),
            "line 3: duplicate",
        ),
        ([&header(2), change, "{\"last_cycle\": 1000000000}\n"].concat(), "exceeds the maximum"),
        (header(3), "version 1 or 2"),
    ] {
        let error = played(&text).unwrap_err().to_string();
        assert!(error.contains(what), "{error}");
    }
}
