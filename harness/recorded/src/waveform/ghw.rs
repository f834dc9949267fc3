// SPDX-License-Identifier: MIT OR Apache-2.0
//! GHW files, whose sections are read as they come: the types and names, the values of all signals, then their changes.

use std::{collections::BTreeMap, mem};

use drra_lockstep::Value;

use super::{
    collect::{ChangeCollector, StopReason},
    error::Damage,
    ghw_input::GhwInput,
    ghw_types::{GhwType, Range, Shape, item, strings, types},
    reader::WaveformReader,
    shown::WaveformValue,
    waves::MAX_WIDTH,
};
use crate::names::{SignalHandle, SignalKind, SignalNames};

/// Maximum length of all paths together.
const MAX_LENGTH: usize = 1 << 28;

/// The names of the signals, and the scalars that are their values.
struct Definitions<'a> {
    input: GhwInput<'a>,
    /// `None` if only the values are read.
    names: Option<SignalNames>,
    /// The width of each signal, 0 if it has no bits, and the numbers of its scalars: the bits of a vector, highest
    /// first, or one.
    signals: Vec<(u32, Vec<u32>)>,
    /// The types of the scalars by their numbers, of which some may be missing.
    scalars: BTreeMap<u32, GhwType>,
    max_scalar: u64,
    /// Length of all paths together.
    length: usize,
}

/// The names of the signals.
pub(super) fn names(reader: WaveformReader<'_>) -> Result<SignalNames, StopReason> {
    let names = Definitions::read(reader, Some(SignalNames::default()))?.names;
    let mut names = names.unwrap_or_default();
    names.join();
    Ok(names)
}

impl<'a> Definitions<'a> {
    fn read(reader: WaveformReader<'a>, names: Option<SignalNames>) -> Result<Self, StopReason> {
        let mut input = GhwInput::new(reader)?;
        let strings = strings(&mut input)?;
        let types = types(&mut input, &strings)?;
        input.expect(b"HIE\0\0\0\0\0")?;
        let [_, _, max_scalar] = [input.fixed::<4>()?, input.fixed::<4>()?, input.fixed::<4>()?];
        let (signals, scalars) = (Vec::new(), BTreeMap::new());
        let mut all = Self { input, names, signals, scalars, max_scalar, length: 0 };
        // The path of a scope with a dot, and the lengths of the paths around it.
        let (mut path, mut around) = (String::new(), Vec::new());
        loop {
            let kind = all.input.byte()?;
            match kind {
                0 => break,
                // A scope, or in 5 a loop with its parameter.
                1 | 3..=7 | 14 => {
                    around.push(path.len());
                    path += &item(&mut all.input, &strings)?;
                    if kind == 5 {
                        path += &match item(&mut all.input, &types)?.shape {
                            Shape::Integer(_) => format!("({})", all.input.signed()?),
                            _ => format!("({})", all.input.byte()?),
                        };
                    }
                    path.push('.');
                    all.grow(path.len())?;
                }
                // A process, which has no signals.
                13 => drop(item(&mut all.input, &strings)?),
                15 => {
                    let length = around.pop();
                    path.truncate(length.ok_or_else(|| all.input.wrong("no scope ends here"))?);
                }
                16..=21 => {
                    let path = format!("{path}{}", item(&mut all.input, &strings)?);
                    let of = item(&mut all.input, &types)?;
                    all.add(path, &of)?;
                }
                _ => return Err(all.input.wrong(format_args!("no item is of kind {kind}"))),
            }
        }
        all.input.expect(b"EOH\0")?;
        Ok(all)
    }

    /// # Errors
    /// If all paths together are too long.
    fn grow(&mut self, length: usize) -> Result<(), StopReason> {
        self.length += length;
        if self.length > MAX_LENGTH {
            return Err(self.input.wrong("the paths of the signals are too long"));
        }
        Ok(())
    }

    /// Adds the signals of a declaration. Elements of arrays are named like fields of records, except bits.
    fn add(&mut self, path: String, of: &GhwType) -> Result<(), StopReason> {
        self.grow(path.len())?;
        let count = of.scalars;
        let count =
            count.ok_or_else(|| self.input.wrong("a signal has an array without bounds"))?;
        match &of.shape {
            _ if count == 0 => Ok(()),
            Shape::Array(element, _, ranges) => match (&element.shape, &ranges[..]) {
                (Shape::Bit { .. }, [range]) if count == 1 => {
                    self.signal(&format!("{path} [{}]", range.left), element, 1)
                }
                (Shape::Bit { .. }, [_]) => self.signal(&path, element, count),
                _ => self.elements(path, element, ranges),
            },
            Shape::Record(fields) => fields
                .iter()
                .try_for_each(|(name, field)| self.add(format!("{path}.{name}"), field)),
            _ => self.signal(&path, of, 1),
        }
    }

    fn elements(&mut self, path: String, of: &GhwType, ranges: &[Range]) -> Result<(), StopReason> {
        let Some((range, inner)) = ranges.split_first() else { return self.add(path, of) };
        range.indices().try_for_each(|n| self.elements(format!("{path}.[{n}]"), of, inner))
    }

    /// Adds a signal with this number of scalars of a type.
    fn signal(&mut self, path: &str, of: &GhwType, count: u64) -> Result<(), StopReason> {
        let (width, literals) = match &of.shape {
            Shape::Bit { .. } => (count, None),
            Shape::Integer(width) => (*width, None),
            Shape::Literals(literals) => (
                u64::from((literals.len().max(1) - 1).checked_ilog2().map_or(0, |n| n + 1)),
                Some(literals),
            ),
            _ => (0, None),
        };
        if width > MAX_WIDTH.into() {
            let what = format!("signal `{path}` claims an impossible width of {width} bits");
            return Err(Damage::new(what, "leave this signal out of the waveform").into());
        }
        let mut scalars = Vec::new();
        for _ in 0..count {
            let number = self.input.number()?;
            if number == 0 || number > self.max_scalar {
                return Err(self.input.wrong(format_args!("there is no signal {number}")));
            }
            // At most 31 bits, like the highest number.
            scalars.push(number as u32);
            self.scalars.entry(number as u32).or_insert_with(|| of.clone());
        }
        if let Some(names) = &mut self.names {
            let kind = match width as u32 {
                0 => SignalKind::Real,
                width => SignalKind::Bits { width },
            };
            let literals = literals.filter(|_| width > 0).into_iter().flatten();
            names.add(path, kind, literals.map(|literal| literal.to_string()).collect());
        }
        self.signals.push((width as u32, scalars));
        Ok(())
    }
}

/// A scalar while the values are read.
struct Scalar {
    of: GhwType,
    /// The value; for a bit of nine values, bit 1 is 1 if the bit is unknown.
    value: u64,
    /// The wanted signals with it, by their positions.
    signals: Vec<usize>,
}

/// A wanted signal.
struct WantedSignal {
    id: SignalHandle,
    width: u32,
    /// Its scalars by their positions.
    scalars: Vec<usize>,
    is_changed: bool,
}

struct Values<'a> {
    input: GhwInput<'a>,
    scalars: Vec<Scalar>,
    wanted: Vec<WantedSignal>,
    /// The wanted signals that changed, by their positions.
    changed: Vec<usize>,
}

/// Plays the wanted signals.
pub(super) fn play(
    reader: WaveformReader<'_>,
    ids: &[SignalHandle],
    collector: &mut ChangeCollector<'_>,
) -> Result<(), StopReason> {
    let Definitions { input, signals, scalars, .. } = Definitions::read(reader, None)?;
    let positions: BTreeMap<u32, usize> = scalars.keys().copied().zip(0..).collect();
    let scalar = |of| Scalar { of, value: 0, signals: Vec::new() };
    let mut scalars: Vec<_> = scalars.into_values().map(scalar).collect();
    let mut wanted = Vec::new();
    for &id in ids {
        let Some((width @ 1.., numbers)) = signals.get(id.index()) else { continue };
        let parts: Vec<_> = numbers.iter().map(|number| positions[number]).collect();
        parts.iter().for_each(|scalar| scalars[*scalar].signals.push(wanted.len()));
        wanted.push(WantedSignal { id, width: *width, scalars: parts, is_changed: false });
    }
    Values { input, scalars, wanted, changed: Vec::new() }.play(collector)
}

impl Values<'_> {
    fn play(&mut self, collector: &mut ChangeCollector<'_>) -> Result<(), StopReason> {
        loop {
            match &self.input.bytes()? {
                b"SNP\0" => {
                    self.input.bytes::<4>()?;
                    let time = self.input.fixed::<8>()?;
                    collector.advance(time)?;
                    (0..self.scalars.len()).try_for_each(|scalar| self.change(scalar))?;
                    self.deliver(time, collector)?;
                    self.input.expect(b"ESN\0")?;
                }
                b"CYC\0" => self.cycles(collector)?,
                b"DIR\0" => {
                    self.input.bytes::<4>()?;
                    for _ in 0..self.input.fixed::<4>()? {
                        self.input.bytes::<8>()?;
                    }
                    self.input.expect(b"EOD\0")?;
                }
                b"TAI\0" => return self.input.bytes::<8>().map(drop),
                _ => return Err(self.input.wrong("no section begins before this byte")),
            }
        }
    }

    /// Reads the changes in successive cycles.
    fn cycles(&mut self, collector: &mut ChangeCollector<'_>) -> Result<(), StopReason> {
        let mut time = self.input.fixed::<8>()?;
        loop {
            collector.advance(time)?;
            let mut number = 0_u64;
            loop {
                let step = self.input.number()?;
                if step == 0 {
                    break;
                }
                number = number.saturating_add(step);
                if number > self.scalars.len() as u64 {
                    return Err(self.input.wrong(format_args!("there is no signal {number}")));
                }
                self.change(number as usize - 1)?;
            }
            self.deliver(time, collector)?;
            let Ok(step) = u64::try_from(self.input.signed()?) else { break };
            time = time.saturating_add(step);
        }
        self.input.expect(b"ECY\0")
    }

    /// Reads the value of a scalar.
    fn change(&mut self, scalar: usize) -> Result<(), StopReason> {
        let Scalar { of, value, signals } = &mut self.scalars[scalar];
        let new = match &of.shape {
            Shape::Integer(_) => self.input.signed()? as u64,
            Shape::Real => self.input.bytes::<8>().map(|_| 0)?,
            _ => self.input.byte()?.into(),
        };
        *value = match &of.shape {
            // `U`, `X`, `0`, `1`, `Z`, `W`, `L`, `H`, `-`
            Shape::Bit { nine: true } if new < 9 => (new & 1) | ((new & 2) ^ 2),
            Shape::Bit { nine: false } if new < 2 => new,
            Shape::Literals(literals) if new < literals.len() as u64 => new,
            Shape::Integer(_) | Shape::Real => new,
            _ => return Err(self.input.wrong(format_args!("{new} is not a value of its type"))),
        };
        for &signal in &*signals {
            if !mem::replace(&mut self.wanted[signal].is_changed, true) {
                self.changed.push(signal);
            }
        }
        Ok(())
    }

    fn deliver(&mut self, time: u64, to: &mut ChangeCollector<'_>) -> Result<(), StopReason> {
        for signal in self.changed.drain(..) {
            let WantedSignal { id, width, scalars, is_changed } = &mut self.wanted[signal];
            *is_changed = false;
            let words = width.div_ceil(64) as usize;
            let (mut words, mut unknown) = (vec![0; words], vec![0; words]);
            for (n, scalar) in scalars.iter().rev().enumerate() {
                let Scalar { of, value, .. } = &self.scalars[*scalar];
                let is_bit = matches!(of.shape, Shape::Bit { .. });
                words[n / 64] |= (if is_bit { value & 1 } else { *value }) << (n % 64);
                unknown[n / 64] |= u64::from(is_bit && value & 2 == 2) << (n % 64);
            }
            let value = Value::with_unknown(words, unknown, *width);
            to.change(time, *id, WaveformValue::Bits(value))?;
        }
        Ok(())
    }
}
