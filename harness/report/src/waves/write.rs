// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a wave file while the case runs again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::BufWriter,
    ops::ControlFlow,
    sync::Arc,
};

use drra_case::Case;
use drra_isa::fabric::Location;
use drra_lockstep::{EndRule, Now, Observer, Pair, Setup, StepError};
use fst_writer::{FstBodyWriter, FstSignalId};

use super::{
    WaveError,
    scopes::{self, Scopes, wave_path},
    side::{SideWriter, WaveIds},
    survey::Survey,
};

/// Runs the case again and writes what the survey found.
pub(super) fn write(
    case: &Case,
    setup: &Setup<'_>,
    survey: &Survey,
    file: BufWriter<File>,
) -> Result<(), WaveError> {
    let mut pair = Pair::replay(case, setup.design)?;
    let layout = Arc::clone(pair.golden().layout());

    let mut header = scopes::begin(file)?;
    let golden = WaveIds::declare(&mut header, "golden", &layout, &survey.rows, |_| true)?;
    let rtl = WaveIds::declare(&mut header, "rtl", &layout, &survey.rows, |_| true)?;
    let mut scopes = Scopes::new(&mut header);
    let mut diff = BTreeMap::new();
    // In table order, so that scopes are opened once.
    for &location in survey.differing.iter().collect::<BTreeSet<_>>() {
        diff.insert(location, scopes.var(&format!("diff.{}", wave_path(location)), 1)?);
    }
    let any = scopes.var("diff.any", 1)?;
    scopes.close()?;

    let mut writer = Writer {
        survey,
        golden: SideWriter::new(golden, &layout),
        rtl: SideWriter::new(rtl, &layout),
        diff,
        any,
        body: header.finish()?,
        written: Ok(()),
    };
    pair.run(EndRule::at(survey.to), &mut writer);
    writer.written?;
    let mut body = writer.body;
    // The last cycle ends, too.
    body.time_change(survey.to + 1)?;
    body.finish()?;
    Ok(())
}

/// Writes what a survey found while the case runs again.
struct Writer<'a, W: std::io::Write + std::io::Seek> {
    survey: &'a Survey,
    golden: SideWriter<'a>,
    rtl: SideWriter<'a>,
    diff: BTreeMap<Location, FstSignalId>,
    any: FstSignalId,
    body: FstBodyWriter<W>,
    written: fst_writer::Result<()>,
}

impl<W: std::io::Write + std::io::Seek> Writer<'_, W> {
    fn cycle(&mut self, now: &Now<'_>) -> fst_writer::Result<()> {
        let body = &mut self.body;
        body.time_change(now.cycle)?;
        self.golden.emit(body, now.golden)?;
        let mut differing = BTreeSet::new();
        if let Some(dut) = now.dut {
            self.rtl.emit(body, dut)?;
            if self.survey.mismatch.is_some_and(|m| now.cycle >= m) {
                let found = dut.differences(now.golden);
                differing.extend(found.into_iter().map(|d| d.location));
            }
        }
        for (location, id) in &self.diff {
            let bit = if differing.contains(location) { b"1" } else { b"0" };
            body.signal_change(*id, bit)?;
        }
        body.signal_change(self.any, if differing.is_empty() { b"0" } else { b"1" })?;
        scopes::flush_some(body)
    }
}

impl<W: std::io::Write + std::io::Seek> Observer for Writer<'_, W> {
    fn look(&mut self, now: &Now<'_>) -> ControlFlow<()> {
        if now.cycle >= self.survey.from {
            self.written = self.cycle(now);
        }
        if self.written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn stopped(&mut self, _cycle: u64, _why: &StepError) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn reads_images(&self) -> bool {
        true
    }
}
