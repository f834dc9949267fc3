// SPDX-License-Identifier: MIT OR Apache-2.0
//! A measurement beside an earlier one. Ratios are compared on any machine, absolute speeds only on the same
//! processor.

use std::collections::BTreeMap;

use drra_isa::Geometry;

use super::{Measurement, VERSION};

/// Part by which a quantity may be lower than before without a warning.
pub(crate) const LIMIT: f64 = 0.10;

/// A quantity, measured twice; more is better.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    /// What it is: `dense lock-step / bare`.
    pub(crate) name: String,
    /// The earlier value.
    pub(crate) before: f64,
    /// The value now.
    pub(crate) now: f64,
}

/// Why an earlier measurement cannot be compared.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AgainstError {
    /// The text is no measurement.
    #[error("is no result of `drra bench --json`: {0}")]
    Text(String),
    /// It has another form.
    #[error("has version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// It was measured on a fabric of another size.
    #[error("was measured on another fabric: {0}")]
    Fabric(String),
}

impl Change {
    /// By which part it is higher than before; negative if it is lower.
    pub(crate) fn gain(&self) -> f64 {
        self.now / self.before - 1.0
    }

    /// True if it is lower than before by more than [`LIMIT`].
    pub(crate) fn is_slower(&self) -> bool {
        self.gain() < -LIMIT
    }
}

impl Measurement {
    /// Reads what `drra bench --json` printed.
    ///
    /// # Errors
    /// If it did not print that, or in another version.
    pub(crate) fn parse(text: &str) -> Result<Self, AgainstError> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|e| AgainstError::Text(e.to_string()))?;
        let version = value.get("version").and_then(serde_json::Value::as_u64);
        if let Some(version) = version.and_then(|v| u32::try_from(v).ok())
            && version != VERSION
        {
            return Err(AgainstError::Version(version));
        }
        serde_json::from_value(value).map_err(|e| AgainstError::Text(e.to_string()))
    }

    /// Whether measurements on such a fabric can be compared with it.
    ///
    /// # Errors
    /// If it was measured on a fabric of another size.
    pub(crate) fn fits(&self, geometry: &Geometry) -> Result<(), AgainstError> {
        let f = &self.fabric;
        if f == geometry {
            return Ok(());
        }
        Err(AgainstError::Fabric(format!(
            "{} columns, {} tile rows, {} RF words, {} SRAM blocks",
            f.columns, f.tile_rows, f.rf_words, f.sram_blocks
        )))
    }

    /// All quantities that this one and an earlier one of the same fabric have.
    pub(crate) fn against(&self, earlier: &Self) -> Vec<Change> {
        let absolute = !self.processor.is_empty() && self.processor == earlier.processor;
        let before: BTreeMap<String, f64> = earlier.quantities(absolute).into_iter().collect();
        let both = self.quantities(absolute).into_iter().filter_map(|(name, now)| {
            let before = before.get(&name).copied().filter(|before| *before > 0.0)?;
            Some(Change { name, before, now })
        });
        both.collect()
    }

    /// What can be compared, with its name.
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
    use super::{
        super::{CampaignSpeed, Speed},
        *,
    };

    fn measured(lockstep: f64, ratio: f64, cases: f64) -> Measurement {
        Measurement {
            version: 1,
            fabric: Geometry::default(),
            processor: "one".to_owned(),
            workloads: vec![Speed {
                name: "dense".to_owned(),
                cycles: 20_000,
                bare: 100.0,
                golden: 500.0,
                lockstep,
                lockstep_over_bare: ratio,
                golden_over_bare: 5.0,
                coverage_over_lockstep: 0.95,
            }],
            campaign: CampaignSpeed {
                profile: "default".to_owned(),
                cases: 60,
                cases_per_second: cases,
                shares: Vec::new(),
                fabrics: Vec::new(),
                weighted: 0.0,
            },
        }
    }

    fn slower(now: &Measurement, before: &Measurement) -> Vec<String> {
        now.against(before).into_iter().filter(Change::is_slower).map(|c| c.name).collect()
    }

    /// More than a tenth is told; absolute speeds of another processor say nothing.
    #[test]
    fn what_is_slower_is_told() {
        let before = measured(80.0, 0.8, 50.0);
        assert_eq!(slower(&measured(73.0, 0.73, 46.0), &before), [""; 0]);
        let now = measured(71.0, 0.71, 44.0);
        let all = ["dense lock-step c/s", "dense lock-step / bare", "default cases/s"];
        assert_eq!(slower(&now, &before), all);
        let other = Measurement { processor: "another".to_owned(), ..now };
        assert_eq!(slower(&other, &before), ["dense lock-step / bare"]);
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let now = measured(80.0, 0.8, 50.0);
        let geometry = Geometry::default();
        assert_eq!(now.fits(&geometry), Ok(()));
        let size = "8 columns, 2 tile rows, 64 RF words, 128 SRAM blocks".to_owned();
        let narrow = Geometry { columns: 4, ..geometry };
        assert_eq!(now.fits(&narrow), Err(AgainstError::Fabric(size)));
        let text = serde_json::to_string(&now).unwrap();
        assert_eq!(Measurement::parse(&text), Ok(now));
        let newer = text.replace("\"version\":1", "\"version\":2");
        assert_eq!(Measurement::parse(&newer), Err(AgainstError::Version(2)));
        for text in ["", "[]", "{}", "{\"version\":1}"] {
            assert!(matches!(Measurement::parse(text), Err(AgainstError::Text(_))), "{text}");
        }
    }
}
