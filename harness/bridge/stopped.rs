// SPDX-License-Identifier: MIT OR Apache-2.0
//! The message of a model that stops.

use drra_lockstep::{AssertionFailure, Instance, Stop};

/// Part of every message of a violated assertion.
const VIOLATED: &str = "Assertion failed in ";

/// The message of a model that stops.
pub(super) struct Stopped<'a> {
    /// The reason for the stop. The instances are those for which the simulator prints a message.
    pub(super) failure: AssertionFailure,
    /// Messages of other violated assertions. All other output of the model was shown immediately.
    pub(super) others: Vec<&'a str>,
}

impl<'a> Stopped<'a> {
    /// Parses the text of the exception: its kind, file and line, the simulator's message, then the model's output.
    pub(super) fn parse(text: &'a str) -> Self {
        let mut lines = text.split('\n');
        let mut next = || lines.next().unwrap_or_default();
        let (what, place, words) = (next(), next(), next());
        let stop = match what {
            "finish" => Stop::Finish,
            "fatal" => Stop::Fatal { message: words.to_owned() },
            "flood" => Stop::Flood,
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
        instances.sort_by(|a: &Instance, b| a.scope.cmp(&b.scope));
        let (path, line) = place.rsplit_once(':').unwrap_or((place, ""));
        let file = path.rsplit('/').next().unwrap_or(path).to_owned();
        let line = line.parse().unwrap_or(0);
        Self { failure: AssertionFailure { stop, file, line, instances }, others }
    }
}

/// The instance in a message about this place: `[5] %Error: f.sv:3: Assertion failed in TOP.top.u: text`.
fn instance(line: &str, place: &str) -> Option<Instance> {
    let (_, rest) = line.split_once("] %")?;
    let (_, rest) = rest.split_once(": ")?;
    let rest = rest.strip_prefix(place)?.strip_prefix(": ")?.strip_prefix(VIOLATED)?;
    let (scope, message) = rest.split_once(": ")?;
    let scope = scope.strip_prefix("TOP.").unwrap_or(scope).to_owned();
    let message = Some(message).filter(|m| *m != "'assert' failed.").map(str::to_owned);
    Some(Instance { unit: None, scope, name: String::new(), message })
}

#[cfg(test)]
mod tests {
    use drra_lockstep::Stop;

    use super::Stopped;

    #[test]
    fn messages_of_the_place_are_instances() {
        let stopped = Stopped::parse(
            "assertion\nsub/x.sv:7\n\nstart\n\
             [40] %Error: sub/x.sv:7: Assertion failed in TOP.top.g[1].u.legal: 'assert' failed.\n\
             [40] %Error: sub/x.sv:7: Assertion failed in TOP.top.g[0].u.legal: state: 5\n\
             [40] %Error: sub/x.sv:9: Assertion failed in TOP.top.g[0].u: other\n",
        );
        let failure = stopped.failure;
        assert_eq!((failure.to_string(), &failure.stop), ("x.sv:7".into(), &Stop::Assertion));
        let found: Vec<_> =
            failure.instances.iter().map(|i| (&*i.scope, i.message.as_deref())).collect();
        assert_eq!(found, [("top.g[0].u.legal", Some("state: 5")), ("top.g[1].u.legal", None)]);
        let other = "[40] %Error: sub/x.sv:9: Assertion failed in TOP.top.g[0].u: other";
        assert_eq!(stopped.others, [other]);
    }

    #[test]
    fn other_ends_are_told_apart() {
        let finish = Stopped::parse("finish\nx.sv:3\n\n").failure;
        assert_eq!((finish.text(), finish.instances.len()), ("$finish at x.sv:3".into(), 0));
        let fatal = Stopped::parse("fatal\n/a/x.sv:1\ndoes not converge\n").failure;
        assert_eq!(fatal.stop, Stop::Fatal { message: "does not converge".into() });
        assert_eq!((fatal.file.as_str(), fatal.line), ("x.sv", 1));
        let flood = Stopped::parse("flood\n:0\n\nline\nline\n");
        assert_eq!((&flood.failure, flood.others.len()), (&Stop::Flood.into(), 0));
    }
}
