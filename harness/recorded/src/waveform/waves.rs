// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names and values of VCD, FST and GHW files, which are handled in the same way.

use std::collections::HashSet;

use wellen::{Hierarchy, LoadOptions, SignalEncoding, SignalRef, SignalValueRef, Var};

use drra_lockstep::Value;

use super::{
    collect::{ChangeCollector, StopReason},
    error::Damage,
    shown::WaveformValue,
};
use crate::names::{SignalHandle, SignalKind, SignalNames};

/// Maximum number of bits in a signal; a wider signal indicates damage.
pub(super) const MAX_WIDTH: u32 = 1 << 20;
/// The literals of an enumeration are used only if all of its values are below this number.
const MAX_LITERALS: usize = 1 << 16;

/// Uses a single thread, because panics on other threads could not be silenced.
pub(super) fn options() -> LoadOptions {
    LoadOptions { multi_thread: false, remove_scopes_with_empty_name: false }
}

/// The names of a hierarchy, and the reader's reference for each. A signal that is listed twice under one path is used
/// only once.
///
/// # Errors
/// If a signal is implausibly wide.
pub(super) fn names(hierarchy: &Hierarchy) -> Result<(SignalNames, Vec<SignalRef>), Damage> {
    let (mut names, mut refs, mut known) = (SignalNames::default(), Vec::new(), HashSet::new());
    for var in hierarchy.all_vars() {
        let var = &hierarchy[var];
        let mut path = var.full_name(hierarchy);
        if let Some(bit) = var.index().filter(|index| index.width() == 1) {
            path = format!("{path} [{}]", bit.lsb());
        }
        if !known.insert((path.clone(), var.signal_ref())) {
            continue;
        }
        let kind = match var.signal_encoding(hierarchy) {
            SignalEncoding::BitVector(width) if width > MAX_WIDTH => {
                let what = format!("signal `{path}` claims an impossible width of {width} bits");
                return Err(Damage::new(what, "leave this signal out of the waveform"));
            }
            SignalEncoding::BitVector(0) | SignalEncoding::Real => SignalKind::Real,
            SignalEncoding::BitVector(width) => SignalKind::Bits { width },
            SignalEncoding::String => SignalKind::Text,
        };
        let literals = match kind {
            SignalKind::Bits { .. } => literals(var, hierarchy),
            SignalKind::Text | SignalKind::Real => Vec::new(),
        };
        names.add(&path, kind, literals);
        refs.push(var.signal_ref());
    }
    Ok((names, refs))
}

/// The literals of an enumeration by value; the text is empty for a value without a literal.
fn literals(var: &Var, hierarchy: &Hierarchy) -> Vec<String> {
    let mut literals = Vec::new();
    for (value, name) in var.enum_type(hierarchy).into_iter().flat_map(|(_, literals)| literals) {
        let position = usize::from_str_radix(value, 2).ok().filter(|n| *n < MAX_LITERALS);
        let Some(position) = position else { return Vec::new() };
        if literals.len() <= position {
            literals.resize(position + 1, String::new());
        }
        name.clone_into(&mut literals[position]);
    }
    literals
}

/// The wanted signals, by the reader's references.
pub(super) struct WantedSignals {
    refs: Vec<SignalRef>,
    /// The signals for each of the reader's references, by the index of the reference.
    ids: Vec<Vec<SignalHandle>>,
}

impl WantedSignals {
    /// `refs` are the reader's references to all signals. Signals without comparable values are left out.
    pub(super) fn new(wanted: &[SignalHandle], names: &SignalNames, refs: &[SignalRef]) -> Self {
        let comparable = |id: &&SignalHandle| names.signal(**id).kind != SignalKind::Real;
        let mut ids: Vec<Vec<SignalHandle>> = Vec::new();
        let mut needed = Vec::new();
        for &id in wanted.iter().filter(comparable) {
            let signal = refs[id.index()];
            if ids.len() <= signal.index() {
                ids.resize(signal.index() + 1, Vec::new());
            }
            let same = &mut ids[signal.index()];
            if !same.contains(&id) {
                same.push(id);
            }
            needed.push(signal);
        }
        needed.sort_unstable();
        needed.dedup();
        Self { refs: needed, ids }
    }

    /// The reader's references, each once.
    pub(super) fn refs(&self) -> &[SignalRef] {
        &self.refs
    }

    /// Delivers a value for every name of its signal.
    pub(super) fn deliver(
        &self,
        time: u64,
        signal: SignalRef,
        value: &SignalValueRef<'_>,
        collector: &mut ChangeCollector<'_>,
    ) -> Result<(), StopReason> {
        let ids = self.ids.get(signal.index()).map_or(&[][..], Vec::as_slice);
        let (Some((last, others)), Some(value)) = (ids.split_last(), shown(value)) else {
            return Ok(());
        };
        for &id in others {
            collector.change(time, id, value.clone())?;
        }
        collector.change(time, *last, value)
    }
}

fn shown(value: &SignalValueRef<'_>) -> Option<WaveformValue> {
    let vector = match value {
        SignalValueRef::BitVec(vector) => vector,
        SignalValueRef::String(text) => return Some(WaveformValue::Text((*text).into())),
        SignalValueRef::Event | SignalValueRef::Real(_) => return None,
    };
    let Some(bytes) = vector.be_bytes() else {
        return Value::parse(&value.to_bit_string()?).map(WaveformValue::Bits);
    };
    let mut words = vec![0; vector.width().div_ceil(64) as usize];
    for (i, byte) in bytes.iter().rev().enumerate() {
        words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
    }
    Some(WaveformValue::Bits(Value::new(&words, vector.width())))
}
