// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the RTL of this build comes from.

use drra_lockstep::Fingerprint;

/// Digests of its sources and of the model that was made of them.
pub(crate) const FINGERPRINT: Fingerprint =
    Fingerprint { sources: env!("DRRA_RTL_DIGEST"), model: env!("DRRA_MODEL_DIGEST") };
/// Name of the folder that the model was built from; empty for the RTL of this project.
pub(crate) const FOLDER: &str = env!("DRRA_RTL_NAME");
/// Whether this build is for a design of the user.
pub(crate) const OF_USER: bool = !FOLDER.is_empty();
