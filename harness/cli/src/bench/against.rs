// SPDX-License-Identifier: MIT OR Apache-2.0
//! Compares a measurement with an earlier measurement: ratios on any machine, and absolute speeds only on the same
//! processor.

use std::collections::BTreeMap;

use drra_isa::Geometry;

use super::{Measurement, VERSION};

/// Relative decrease above which there is a warning.
pub(crate) const LIMIT: f64 = 0.10;

/// A quantity in two measurements; higher is better.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SpeedChange {
    /// Name, such as `dense lock-step / bare`.
    pub(crate) name: String,
    pub(crate) before: f64,
    pub(crate) now: f64,
}

impl SpeedChange {
    /// Relative increase; negative for a decrease.
    pub(crate) fn gain(&self) -> f64 {
        self.now / self.before - 1.0
    }

    /// True if the quantity has decreased by more than [`LIMIT`].
    pub(crate) fn is_slower(&self) -> bool {
        self.gain() < -LIMIT
    }
}

impl Measurement {
    /// Parses the output of `drra bench --json` for a fabric of this size.
    ///
    /// # Errors
    /// If the text cannot be compared, because it has another format or version, or is for another fabric size.
    pub(crate) fn parse(text: &str, size: &Geometry) -> Result<Self, String> {
        let format = |e: serde_json::Error| format!("not a result of `drra bench --json`: {e}");
        let value: serde_json::Value = serde_json::from_str(text).map_err(format)?;
        let version = value.get("version").and_then(serde_json::Value::as_u64);
        if let Some(version) = version.filter(|version| *version != u64::from(VERSION)) {
            return Err(format!("version {version}; this program reads version {VERSION}"));
        }
        let read: Self = serde_json::from_value(value).map_err(format)?;
        match read.fabric == *size {
            true => Ok(read),
            false => Err(format!("measured on fabric {}, not {size}", read.fabric)),
        }
    }

    /// All quantities in both measurements.
    pub(crate) fn against(&self, earlier: &Self) -> Vec<SpeedChange> {
        let absolute = !self.processor.is_empty() && self.processor == earlier.processor;
        let before: BTreeMap<String, f64> = earlier.quantities(absolute).into_iter().collect();
        let both = self.quantities(absolute).into_iter().filter_map(|(name, now)| {
            let before = before.get(&name).copied().filter(|before| *before > 0.0)?;
            Some(SpeedChange { name, before, now })
        });
        both.collect()
    }

    /// Names and values of the comparable quantities.
    fn quantities(&self, absolute: bool) -> Vec<(String, f64)> {
        let mut all = Vec::new();
        for s in &self.workloads {
            let speeds =
                [("bare c/s", s.bare), ("golden c/s", s.golden), ("lock-step c/s", s.lockstep)];
            let ratios = [
                ("lock-step / bare", s.lockstep_over_bare),
                ("golden / bare", s.golden_over_bare),
                ("with coverage / without", s.coverage_over_lockstep),
            ];
            let speeds = speeds.into_iter().filter(|_| absolute);
            all.extend(
                speeds.chain(ratios).map(|(what, value)| (format!("{} {what}", s.name), value)),
            );
        }
        if absolute {
            let name = format!("{} cases/s", self.campaign.profile);
            all.push((name, self.campaign.cases_per_second));
            for of in &self.campaign.fabrics {
                let name = format!("{} cases/s on {}", self.campaign.profile, of.fabric);
                all.push((name, of.cases_per_second));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stored measurement of version 1.0, with these speeds.
    fn measured(lockstep: f64, ratio: f64, cases: f64) -> Measurement {
        let kept = include_str!("../../../../tests/stability/1.0/bench.json");
        let mut measured = Measurement::parse(kept, &Geometry::default()).unwrap();
        let dense = measured.workloads.iter_mut().find(|speed| speed.name == "dense").unwrap();
        (dense.lockstep, dense.lockstep_over_bare) = (lockstep, ratio);
        measured.campaign.cases_per_second = cases;
        measured
    }

    fn slower(now: &Measurement, before: &Measurement) -> Vec<String> {
        now.against(before).into_iter().filter(SpeedChange::is_slower).map(|c| c.name).collect()
    }

    /// A decrease of more than a tenth is reported; absolute speeds of another processor are ignored.
    #[test]
    fn decreases_are_reported() {
        let before = measured(80.0, 0.8, 50.0);
        assert_eq!(slower(&measured(73.0, 0.73, 46.0), &before), [""; 0]);
        let now = measured(71.0, 0.71, 44.0);
        let all = ["dense lock-step c/s", "dense lock-step / bare", "default cases/s"];
        assert_eq!(slower(&now, &before), all);
        let other = Measurement { processor: "another".to_owned(), ..now };
        assert_eq!(slower(&other, &before), ["dense lock-step / bare"]);
    }

    #[test]
    fn incomparable_results_are_refused() {
        let now = measured(80.0, 0.8, 50.0);
        let size = Geometry::default();
        let text = serde_json::to_string(&now).unwrap();
        assert_eq!(now.workloads.len(), 3);
        assert_eq!(Measurement::parse(&text, &size), Ok(now));
        let narrow = Geometry { columns: 4, ..size };
        let newer = text.replace("\"version\":1", "\"version\":2");
        let other = "not a result of `drra bench --json`";
        for (text, size, expected) in [
            (&*text, narrow, "measured on fabric 8x2, not 4x2"),
            (&newer, size, "version 2; this program reads version 1"),
            ("", size, other),
            ("[]", size, other),
            ("{}", size, other),
            ("{\"version\":1}", size, other),
        ] {
            let error = Measurement::parse(text, &size).unwrap_err();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
