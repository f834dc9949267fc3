// SPDX-License-Identifier: MIT OR Apache-2.0
//! Configurations that reach the AGUs of a register file.

use drra_isa::{fabric::AguId, instructions::refi};

use super::product::{Classes, Product, Rule, at, draw_levels, levels};
use crate::kind::refi_for;

/// Delays before the first address.
pub(super) const DELAY: Classes = Classes { limits: &[1, 2], top: 10 };

/// AGU, levels of the pattern, delay before it, whether the AGU is busy.
pub(crate) const AGU_LAUNCH: Product = Product {
    name: "AGU launch",
    sizes: &[AguId::ALL.len(), 4, 3, 2],
    rule: Rule::Launch(|launch| {
        let config = &launch.config;
        let levels = levels(config.l1_iter.into(), config.l2_iter.into());
        let delay = DELAY.of(config.init_delay.into());
        at([launch.agu.index(), levels, delay, launch.busy.into()])
    }),
    label: |k| {
        let levels = ["single address", "one level", "second level only", "two levels"][k[1]];
        let delay = ["no delay", "delay 1", "longer delay"][k[2]];
        let busy = ["at rest", "busy"][k[3]];
        format!("{}, {levels}, {delay}, {busy}", AguId::ALL[k[0]])
    },
    recipe: |k, rng| {
        let agu = AguId::ALL[k[0]];
        let [l1, l2] = draw_levels(k[1]);
        let delay = DELAY.draw(k[2], rng);
        let launched = refi_for(agu).with(&[
            (refi::L1_ITER, l1),
            (refi::L2_ITER, l2),
            (refi::INIT_DELAY, delay),
        ]);
        let busy = (k[3] == 1).then(|| refi_for(agu).with(&[(refi::L1_ITER, 40)]));
        busy.into_iter().chain([launched]).collect()
    },
};

/// AGU, delays within the pattern, direction of the inner steps.
pub(crate) const AGU_PATTERN: Product = Product {
    name: "AGU pattern",
    sizes: &[AguId::ALL.len(), 4, 2],
    rule: Rule::Launch(|launch| {
        let config = &launch.config;
        let delays = levels(config.l1_delay.into(), config.l2_delay.into());
        at([launch.agu.index(), delays, config.l1_step_sign.into()])
    }),
    label: |k| {
        let delays = ["no delays", "inner delay", "row delay", "both delays"][k[1]];
        format!("{}, {delays}, {}", AguId::ALL[k[0]], ["upwards", "downwards"][k[2]])
    },
    recipe: |k, _| {
        let launched = refi_for(AguId::ALL[k[0]]).with(&[
            (refi::L1_ITER, 5),
            (refi::L2_ITER, 2),
            (refi::L1_DELAY, (k[1] as u64 & 1) * 2),
            (refi::L2_DELAY, (k[1] as u64 >> 1) * 3),
            (refi::L1_STEP_SIGN, k[2] as u64),
        ]);
        vec![launched]
    },
};
