// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which part of a campaign a process runs: as written, or as the scheduler that started it says.

use super::error::{CommandError, usage};

/// Largest number of shards.
pub(super) const MOST: u64 = 1_000_000;

/// Where a scheduler tells a job its place among others.
struct Scheduler {
    name: &'static str,
    /// Variable with the index of this job.
    index: &'static str,
    /// Number of the first job: a variable, or a constant.
    first: Source,
    /// Variable with the distance between indices, if it is not 1.
    step: Option<&'static str>,
    /// How many jobs there are.
    count: Count,
}

/// A number that a scheduler tells, or that is the same for all jobs.
enum Source {
    Variable(&'static str),
    Constant(u64),
}

/// How many jobs there are.
enum Count {
    /// A variable with the number.
    Number(&'static str),
    /// A variable with the largest index.
    Last(&'static str),
    /// Their number and their largest index: jobs may be missing between.
    Both(&'static str, &'static str),
    /// The scheduler does not tell.
    Unknown,
}

/// Those that are known; the first one whose variables are set decides.
const SCHEDULERS: [Scheduler; 7] = [
    Scheduler {
        name: "DRRA_SHARD_INDEX",
        index: "DRRA_SHARD_INDEX",
        first: Source::Constant(1),
        step: None,
        count: Count::Number("DRRA_SHARDS"),
    },
    Scheduler {
        name: "Slurm",
        index: "SLURM_ARRAY_TASK_ID",
        first: Source::Variable("SLURM_ARRAY_TASK_MIN"),
        step: Some("SLURM_ARRAY_TASK_STEP"),
        count: Count::Both("SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MAX"),
    },
    Scheduler {
        name: "LSF",
        index: "LSB_JOBINDEX",
        first: Source::Constant(1),
        step: Some("LSB_JOBINDEX_STEP"),
        count: Count::Last("LSB_JOBINDEX_END"),
    },
    Scheduler {
        name: "Grid Engine",
        index: "SGE_TASK_ID",
        first: Source::Variable("SGE_TASK_FIRST"),
        step: Some("SGE_TASK_STEPSIZE"),
        count: Count::Last("SGE_TASK_LAST"),
    },
    Scheduler {
        name: "PBS",
        index: "PBS_ARRAY_INDEX",
        first: Source::Constant(1),
        step: None,
        count: Count::Unknown,
    },
    Scheduler {
        name: "Kubernetes",
        index: "JOB_COMPLETION_INDEX",
        first: Source::Constant(0),
        step: None,
        count: Count::Number("DRRA_SHARDS"),
    },
    Scheduler {
        name: "GitLab",
        index: "CI_NODE_INDEX",
        first: Source::Constant(1),
        step: None,
        count: Count::Number("CI_NODE_TOTAL"),
    },
];

/// Reads `I/N`, `auto` or `auto/N`; `variable` reads the environment.
///
/// # Errors
/// If the text is nothing of that, or the environment does not tell which part it is.
pub(super) fn parse(
    text: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<[u64; 2], CommandError> {
    let found = match text.split_once('/') {
        None if text == "auto" => from_environment(None, variable)?,
        Some(("auto", n)) => match n.parse() {
            Ok(n) => from_environment(Some(n), variable)?,
            Err(_) => [0, 0],
        },
        Some((i, n)) => [i, n].map(|number| number.parse().unwrap_or(0)),
        None => [0, 0],
    };
    let [index, count] = found;
    if !(1..=count).contains(&index) || count > MOST {
        let remedy = format!(
            "write I/N with 1 <= I <= N <= {MOST}, or auto or auto/N in a job of a scheduler"
        );
        return Err(usage(format!("--shard {text}: no shard"), remedy));
    }
    Ok(found)
}

/// What the first scheduler tells whose index is set.
fn from_environment(
    given: Option<u64>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<[u64; 2], CommandError> {
    // Some set the index to 0 or to a word for jobs that are no part of an array.
    let number = |name: &str| variable(name).and_then(|text| text.parse::<u64>().ok());
    for scheduler in &SCHEDULERS {
        let Some(index) = number(scheduler.index) else { continue };
        let first = match scheduler.first {
            Source::Variable(name) => number(name).unwrap_or(1),
            Source::Constant(first) => first,
        };
        if index < first {
            continue;
        }
        let step = scheduler.step.and_then(number).unwrap_or(1).max(1);
        let up_to = |last: u64| last.checked_sub(first).map(|range| range / step + 1);
        let count = match scheduler.count {
            Count::Number(name) => number(name),
            Count::Last(name) => number(name).and_then(up_to),
            Count::Both(count, last) => {
                let (count, last) = (number(count), number(last).and_then(up_to));
                count.filter(|_| count == last && first <= 1)
            }
            Count::Unknown => None,
        };
        return match (given, count) {
            (Some(count), _) | (None, Some(count)) => Ok([(index - first) / step + 1, count]),
            (None, None) => Err(usage(
                format!("--shard auto: {} does not tell the number of shards", scheduler.name),
                "give it: --shard auto/N; an array of jobs must be whole and begin with 0 or 1",
            )),
        };
    }
    let names: Vec<&str> = SCHEDULERS.iter().map(|s| s.index).collect();
    Err(usage(
        "--shard auto: no scheduler tells which shard this is",
        format!(
            "set DRRA_SHARD_INDEX and DRRA_SHARDS, or run it as a job of an array (looked for: {})",
            names.join(", ")
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn read(text: &str, environment: &[(&str, &str)]) -> Option<[u64; 2]> {
        let variable = |name: &str| {
            environment.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        };
        parse(text, &variable).ok()
    }

    #[test]
    fn written_shards() {
        assert_eq!(read("2/4", &[]), Some([2, 4]));
        for wrong in ["0/4", "5/4", "1/1000001", "x/4", "4", "", "auto", "auto/x", "auto/4"] {
            assert_eq!(read(wrong, &[]), None, "{wrong}");
        }
    }

    /// What the schedulers document for the third of four jobs.
    #[test]
    fn shards_of_schedulers() {
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "3"),
            ("SLURM_ARRAY_TASK_MIN", "1"),
            ("SLURM_ARRAY_TASK_MAX", "4"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
            ("SLURM_ARRAY_TASK_STEP", "1"),
        ];
        let from_zero = [
            ("SLURM_ARRAY_TASK_ID", "4"),
            ("SLURM_ARRAY_TASK_MIN", "0"),
            ("SLURM_ARRAY_TASK_MAX", "6"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
        ];
        let lsf = [("LSB_JOBINDEX", "3"), ("LSB_JOBINDEX_END", "4"), ("LSB_JOBINDEX_STEP", "1")];
        let sge = [
            ("SGE_TASK_ID", "3"),
            ("SGE_TASK_FIRST", "1"),
            ("SGE_TASK_LAST", "4"),
            ("SGE_TASK_STEPSIZE", "1"),
        ];
        let kubernetes = [("JOB_COMPLETION_INDEX", "2"), ("DRRA_SHARDS", "4")];
        let gitlab = [("CI_NODE_INDEX", "3"), ("CI_NODE_TOTAL", "4")];
        let own = [("DRRA_SHARD_INDEX", "3"), ("DRRA_SHARDS", "4")];
        let all: [&[(&str, &str)]; 7] =
            [&slurm, &from_zero, &lsf, &sge, &kubernetes, &gitlab, &own];
        for environment in all {
            assert_eq!(read("auto", environment), Some([3, 4]), "{environment:?}");
            assert_eq!(read("auto/8", environment), Some([3, 8]), "{environment:?}");
        }
        let pbs = [("PBS_ARRAY_INDEX", "3")];
        assert_eq!((read("auto", &pbs), read("auto/4", &pbs)), (None, Some([3, 4])));
    }

    /// Jobs that are no part of an array, and parts of an array that were submitted again.
    #[test]
    fn what_is_no_shard() {
        assert_eq!(read("auto", &[("LSB_JOBINDEX", "0"), ("LSB_JOBINDEX_END", "0")]), None);
        assert_eq!(
            read("auto", &[("SGE_TASK_ID", "undefined"), ("SGE_TASK_LAST", "undefined")]),
            None
        );
        let again = [
            ("SLURM_ARRAY_TASK_ID", "3"),
            ("SLURM_ARRAY_TASK_MIN", "3"),
            ("SLURM_ARRAY_TASK_MAX", "4"),
            ("SLURM_ARRAY_TASK_COUNT", "2"),
        ];
        assert_eq!(read("auto", &again), None);
    }
}
