// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether the sections of an FST and its header tell the same.

/// What the sections of a file tell together.
#[derive(Default)]
pub(super) struct Whole {
    /// End and number of sections of values, as the header tells.
    pub(super) header: Option<(u64, u64)>,
    /// Signals that are declared.
    pub(super) handles: Option<u64>,
    /// Most signals of a section of values.
    pub(super) most_handles: u64,
    /// Sections of values, and the end of the last one.
    pub(super) values: u64,
    pub(super) end: u64,
}

impl Whole {
    /// A section of values.
    pub(super) fn add(&mut self, handles: u64, (start, end): (u64, u64)) -> Result<(), String> {
        if start > end || start < self.end {
            return Err(format!(
                "a section of values goes from {start} to {end}, after one that ends at {}",
                self.end
            ));
        }
        self.most_handles = self.most_handles.max(handles);
        (self.values, self.end) = (self.values + 1, end);
        Ok(())
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let Some((end, sections)) = self.header else { return Err("it has no header".to_owned()) };
        if sections != self.values {
            let found = self.values;
            return Err(format!(
                "its header tells of {sections} sections of values, it has {found}"
            ));
        }
        if end < self.end {
            let values = self.end;
            return Err(format!(
                "its header tells the end at {end}, there are values up to {values}"
            ));
        }
        match self.handles {
            Some(handles) if self.most_handles > handles => Err(format!(
                "it has values of {} signals, but declares {handles}",
                self.most_handles
            )),
            _ => Ok(()),
        }
    }
}
