// SPDX-License-Identifier: MIT OR Apache-2.0
//! The message of a model that stops.

use drra_lockstep::{AssertionFailure, AssertionInstance, Stop};

/// Part of every message of a violated assertion.
const VIOLATED: &str = "Assertion failed in ";

/// The message of a model that stops.
pub struct StopMessage<'a> {
    /// The reason for the stop. The instances are those for which the simulator prints a message.
    pub failure: AssertionFailure,
    /// Messages of other violated assertions. All other output of the model was shown immediately.
    pub others: Vec<&'a str>,
}

impl<'a> StopMessage<'a> {
    /// Parses the text of the exception: its kind, file and line, the simulator's message, then the model's output.
    pub fn parse(text: &'a str) -> Self {
        let mut lines = text.split('\n');
        let mut next = || lines.next().unwrap_or_default();
        let (what, place, words) = (next(), next(), next());
        let stop = match what {
            "finish" => Stop::Finish,
            "fatal" => Stop::Aborted { message: words.to_owned() },
            "flood" => Stop::ExcessiveOutput,
            _ => Stop::Assertion,
        };
        let (mut instances, mut others) = (Vec::new(), Vec::new());
        for line in lines.filter(|line| !line.is_empty()) {
            match instance(line, place) {
                Some(instance) => instances.push(instance),
                None if line.contains(VIOLATED) => others.push(line),
                None => {}
            }
        }
        instances.sort_by(|a: &AssertionInstance, b| a.scope.cmp(&b.scope));
        let (path, line) = place.rsplit_once(':').unwrap_or((place, ""));
        let file = path.rsplit('/').next().unwrap_or(path).to_owned();
        let line = line.parse().unwrap_or(0);
        Self { failure: AssertionFailure { stop, file, line, instances }, others }
    }
}

/// The instance in a message about this place: `[5] %Error: f.sv:3: Assertion failed in TOP.top.u: text`.
fn instance(line: &str, place: &str) -> Option<AssertionInstance> {
    let (_, rest) = line.split_once("] %")?;
    let (_, rest) = rest.split_once(": ")?;
    let rest = rest.strip_prefix(place)?.strip_prefix(": ")?.strip_prefix(VIOLATED)?;
    let (scope, message) = rest.split_once(": ")?;
    let scope = scope.strip_prefix("TOP.").unwrap_or(scope).to_owned();
    let message = Some(message).filter(|m| *m != "'assert' failed.").map(str::to_owned);
    Some(AssertionInstance { unit: None, scope, name: String::new(), message })
}
