// SPDX-License-Identifier: MIT OR Apache-2.0
//! Arrays of integers in files, and the places of the fabric that they belong to: `FILE=PLACE`.

use std::fs;

use drra_case::load::InitialWord;
use drra_fabric::{Location, Register};
use drra_isa::Geometry;
use drra_lockstep::{Element, GoldenRun, Slice};

use super::npy;
use crate::command_prelude::*;

/// An array, and the values of the state that it belongs to; the file `-` is standard output.
pub(super) struct Array {
    pub(super) file: PathBuf,
    place: String,
    pub(super) slice: Slice,
}

/// The error about a place, or about values that do not fit it.
pub(super) fn misplaced(place: &str, error: String) -> CommandError {
    usage(format!("{place}: {error}"), "see harness/guide/compilers.md for arrays and places")
}

/// The file and the place. The file ends at the last `=` before the last bracket: options come after all brackets.
pub(super) fn split(text: &str) -> Option<(&Path, &str)> {
    let at = text.rfind('[').and_then(|bracket| text[..bracket].rfind('=')).filter(|at| *at > 0)?;
    Some((Path::new(&text[..at]), &text[at + 1..]))
}

impl Array {
    /// Reads `FILE=PLACE[,OPTION...]`.
    pub(super) fn parse(text: &str, size: &Geometry) -> Result<Self, CommandError> {
        let (file, place) = split(text).ok_or_else(|| {
            misplaced(text, "expected FILE=PLACE, such as x.npy=cell[0][0].rf.mem[0]".into())
        })?;
        let slice = Slice::parse(place, size).map_err(|e| misplaced(place, e))?;
        if slice.item(0).is_some_and(|item| item.width > 64) {
            return Err(misplaced(place, "wider than 64 bits; add ,width=16".into()));
        }
        Ok(Self { file: file.to_owned(), place: place.to_owned(), slice })
    }

    /// The numbers in the file.
    pub(super) fn numbers(&self) -> Result<Vec<i128>, CommandError> {
        let help = "give integers in a .npy, CSV or JSON file; numpy.savetxt needs fmt=\"%d\"";
        let error = |e: String| file(&self.file, e, help);
        let bytes = fs::read(&self.file).map_err(|e| file(&self.file, e, "check the path"))?;
        if bytes.starts_with(npy::MAGIC) {
            return npy::read(&bytes).map_err(error);
        }
        let text = String::from_utf8_lossy(&bytes);
        let mut numbers = Vec::new();
        for (line, content) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let content = content.split('#').next().unwrap_or_default();
            let fields: Vec<&str> = content.split([',', ';']).collect();
            // A line of a list may end with a separator.
            if fields.split_last().is_some_and(|(_, f)| f.iter().any(|f| f.trim().is_empty())) {
                return Err(error(format!("line {line}: a field is empty")));
            }
            let separates = |c: char| c.is_whitespace() || ",;[]".contains(c);
            for word in content.split(separates).filter(|word| !word.is_empty()) {
                let hex = word.strip_prefix("0x").map(|digits| i128::from_str_radix(digits, 16));
                let number = hex.unwrap_or_else(|| word.parse());
                let message = |_| error(format!("line {line}: `{word}` is not an integer"));
                numbers.push(number.map_err(message)?);
            }
        }
        Ok(numbers)
    }

    /// Writes the values of the place in the current cycle of a run.
    pub(super) fn write(&self, run: &mut GoldenRun<'_>) -> Result<(), CommandError> {
        let numbers = self.slice.values(run);
        let words: Vec<String> = numbers.iter().map(i128::to_string).collect();
        let bytes = match (self.file.extension().and_then(|e| e.to_str()), self.slice.item(0)) {
            (Some("npy"), Some(item)) => npy::write(&numbers, item.width, item.signed),
            (Some("csv"), _) => (words.join("\n") + "\n").into(),
            (Some("json"), _) => format!("[{}]\n", words.join(", ")).into(),
            _ => format!("{} = {}\n", self.place, words.join(" ")).into(),
        };
        if self.file == Path::new("-") {
            return Ok(stdout().write_all(&bytes)?);
        }
        drra_files::write_whole(&self.file, &bytes)
            .map_err(|e| file(&self.file, e, "give a writable file"))
    }
}

/// The initial words of memories that arrays contain.
pub(crate) fn initial_words(
    arrays: &[String],
    size: &Geometry,
) -> Result<Vec<InitialWord>, CommandError> {
    let mut words = Vec::new();
    for text in arrays {
        let (array, error) = (Array::parse(text, size)?, |e| misplaced(text, e));
        let slice = &array.slice;
        for (item, number) in slice.assign(array.numbers()?).map_err(error)? {
            let value = slice.encode(number).map_err(error)? as u16;
            let (unit, number) = match item.element {
                Element::Register(Location { unit, register: Register::RfMem(word) }) => {
                    (unit, word)
                }
                Element::Word(Location { unit, register: Register::TileSram(row) }, word) => {
                    (unit, Geometry::BLOCK_WORDS * row + word)
                }
                other => return Err(error(format!("{other} has no initial contents"))),
            };
            let shift = item.lane.unwrap_or_default() * item.width;
            let mask = u16::MAX >> (16 - item.width) << shift;
            words.push(InitialWord { unit, number, mask, value: value << shift });
        }
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lane 0 is the least significant one (chapter 4, section 4).
    #[test]
    fn texts_of_numbers_become_initial_words() {
        let folder = tempfile::tempdir().unwrap();
        // The file ends at the `=` before the place.
        let path = folder.path().join("n=4[1].csv");
        let words = |text: &str, place: &str| {
            fs::write(&path, text).unwrap();
            let arrays = [format!("{}={place}", path.display())];
            let words = initial_words(&arrays, &Geometry::default()).map_err(|e| e.to_string())?;
            Ok(words.iter().map(|w| (w.number, w.mask, w.value)).collect::<Vec<_>>())
        };
        let ok =
            |text, place, expected: &[_]| assert_eq!(words(text, place), Ok(expected.to_vec()));
        let all = 0xffff;
        let place = "cell[0][1].rf.mem[2],stride=3";
        ok("# x\n1, -2;\n[0x7f]", place, &[(2, all, 1), (5, all, 0xfffe), (8, all, 0x7f)]);
        let place = "cell[0][1].rf.mem[0],width=8";
        ok("1\n-2\n3", place, &[(0, 0xff, 1), (0, 0xff00, 0xfe00), (1, 0xff, 3)]);
        ok("5", "tile[1][0].sram[2],offset=3", &[(35, all, 5)]);
        for (text, place, part) in [
            ("1\n1.0", "cell[0][0].rf.mem[0]", "line 2: `1.0` is not an integer"),
            ("1,,2", "cell[0][0].rf.mem[0]", "line 1: a field is empty"),
            ("1 2", "cell[0][0].rf.mem[0..2]", "2 values for 3 elements"),
            ("32768", "cell[0][0].rf.mem[0],signed", "not a signed value of 16 bits"),
            ("1", "cell[0][0].dpu.acc[0]", "has no initial contents"),
            ("1", "col[0].blk_in_row1", "wider than 64"),
        ] {
            let error: String = words(text, place).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
