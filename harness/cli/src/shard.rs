// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shard of a campaign that this process runs: as given, or taken from the environment of a job scheduler.

use crate::command_prelude::*;

pub(super) use drra_campaign::journal::MAX_SHARDS;

/// Environment variables of schedulers for the position of a job in an array; the first scheduler whose index is set is
/// used. `-` means that the variable is not provided; a number is the value for all jobs.
const SCHEDULERS: &str = "
    name             index                first                step                  count                  last
    DRRA_SHARD_INDEX DRRA_SHARD_INDEX     1                    -                     DRRA_SHARDS            -
    Slurm            SLURM_ARRAY_TASK_ID  SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_STEP SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MAX
    LSF              LSB_JOBINDEX         1                    LSB_JOBINDEX_STEP     -                      LSB_JOBINDEX_END
    Grid-Engine      SGE_TASK_ID          SGE_TASK_FIRST       SGE_TASK_STEPSIZE     -                      SGE_TASK_LAST
    PBS              PBS_ARRAY_INDEX      1                    -                     -                      -
    Kubernetes       JOB_COMPLETION_INDEX 0                    -                     DRRA_SHARDS            -
    GitLab           CI_NODE_INDEX        1                    -                     CI_NODE_TOTAL          -
";

/// The rows of [`SCHEDULERS`]: name, index, first, step, count and last.
fn schedulers() -> impl Iterator<Item = [&'static str; 6]> {
    let rows = SCHEDULERS.trim().lines().skip(1);
    rows.filter_map(|row| row.split_whitespace().collect::<Vec<_>>().try_into().ok())
}

/// Parses `I/N`, `auto` or `auto/N`; `variable` reads the environment.
///
/// # Errors
/// If the text is invalid, or the environment does not define the shard.
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
    if !(1..=count).contains(&index) || count > MAX_SHARDS {
        let remedy = format!(
            "give I/N with 1 <= I <= N <= {MAX_SHARDS}, or auto or auto/N in a job of a scheduler"
        );
        return Err(usage(format!("--shard {text}: invalid shard"), remedy));
    }
    Ok(found)
}

/// The shard according to the first scheduler whose index is set.
fn from_environment(
    given: Option<u64>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<[u64; 2], CommandError> {
    // Some schedulers set the index to 0 or to a word for jobs that are not part of an array.
    let number = |name: &str| variable(name).and_then(|text| text.parse::<u64>().ok());
    for [name, index, first, step, count, last] in schedulers() {
        let Some(index) = number(index) else { continue };
        let first = number(first).or(first.parse().ok()).unwrap_or(1);
        if index < first {
            continue;
        }
        let step = number(step).unwrap_or(1).max(1);
        let up_to = |last: u64| last.checked_sub(first).map(|range| range / step + 1);
        let count = match (count, last) {
            (count, "-") => number(count),
            ("-", last) => number(last).and_then(up_to),
            // Jobs may be missing between the first job and the last job.
            (count, last) => number(count)
                .filter(|count| first <= 1 && number(last).and_then(up_to) == Some(*count)),
        };
        return match given.or(count) {
            Some(count) => Ok([(index - first) / step + 1, count]),
            None => Err(usage(
                format!("--shard auto: {name} does not provide the number of shards"),
                "give it as --shard auto/N, or submit the whole array, starting with job 0 or 1",
            )),
        };
    }
    let names: Vec<&str> = schedulers().map(|[_, index, ..]| index).collect();
    Err(usage(
        "--shard auto: no job scheduler found in the environment",
        format!(
            "set DRRA_SHARD_INDEX and DRRA_SHARDS, or run this command in an array job (variables checked: {})",
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

    /// The values that the schedulers document for the third of four jobs.
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

    /// Jobs that are not part of an array, and parts of an array that were submitted again.
    #[test]
    fn not_a_shard() {
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
