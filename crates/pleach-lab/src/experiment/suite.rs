//! Several experiments, the cheapest first, within a time.
//!
//! What an experiment will cost is estimated before ([`Costs`]). Experiments go in order of that, and within one the seeds, then
//! the data sets and the runs, the cheapest first; so when the time is over as much as possible is finished. A run that would not fit any
//! more is left out, and one that takes longer than thought is stopped and goes on next time. A report is of the data
//! sets and seeds all of whose runs are finished. Of several experiments, one that can't be run (its data have to be made first,
//! say) does not keep the others from it.

use super::cost::Costs;
use super::error::ExperimentError;
use super::plan::Experiment;
use super::run::{Event, Job, Options, Results, Runner};
use cpu_time::ProcessTime;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// An experiment with what earlier reports say about its costs.
pub struct Member<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// The costs.
    pub costs: Costs,
}

/// A run that there was no time for.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// The experiment's name.
    pub experiment: String,
    /// The run with its seed.
    pub run: String,
    /// The data set.
    pub data: String,
    /// The processor seconds that it would take, about.
    pub seconds: f64,
}

/// How a suite ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// What there was no time for.
    pub left_out: Vec<LeftOut>,
    /// The experiments that can't be run, and why, where there are others.
    pub failed: Vec<(String, String)>,
    /// Whether the caller stopped it.
    pub stopped: bool,
}

/// Told of every report: the experiment's place, as much of it as is finished, and what it found.
pub type Report<'r> = dyn FnMut(usize, &Experiment, &Results) -> Result<(), ExperimentError> + 'r;

/// Runs with what they will cost.
type Jobs = Vec<(Job, f64)>;

/// Seconds that pass for a processor second.
struct Pace {
    clock: Instant,
    cpu: ProcessTime,
    threads: usize,
}

impl Pace {
    /// As observed; before there is anything to observe, as if all threads had a processor for themselves.
    fn seconds(&self, cpu_seconds: f64) -> f64 {
        let spent = self.cpu.elapsed().as_secs_f64();
        let rate = match spent < 5.0 {
            true => 1.0 / self.threads.max(1) as f64,
            false => self.clock.elapsed().as_secs_f64() / spent,
        };
        cpu_seconds * rate
    }
}

/// Runs experiments on the current rayon pool; without a budget, all of them to the end.
pub fn run_all(
    members: &[Member<'_>],
    options: &Options,
    budget: Option<Duration>,
    watch: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    report: &mut Report<'_>,
) -> Result<Ended, ExperimentError> {
    let pace = Pace { clock: Instant::now(), cpu: ProcessTime::now(), threads: rayon::current_num_threads() };
    let left =
        || budget.map_or(f64::INFINITY, |budget| budget.as_secs_f64() - pace.clock.elapsed().as_secs_f64());
    let mut ended = Ended { left_out: Vec::new(), failed: Vec::new(), stopped: false };
    // An error of the only experiment is everybody's.
    let or_note = |failed: &mut Vec<(String, String)>, experiment: &Experiment, error: ExperimentError| {
        if members.len() == 1 {
            return Err(error);
        }
        failed.push((experiment.name.clone(), error.to_string()));
        Ok(())
    };
    let mut plans: Vec<(f64, usize, Jobs)> = Vec::new();
    for (place, member) in members.iter().enumerate() {
        match ordered(member, options) {
            Ok(jobs) => plans.push((jobs.iter().map(|(_, seconds)| seconds).sum(), place, jobs)),
            Err(error) => or_note(&mut ended.failed, member.experiment, error)?,
        }
    }
    plans.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (_, place, jobs) in plans {
        let experiment = members[place].experiment;
        let mut runner = Runner::new(experiment, options)?;
        for &(job, seconds) in &jobs {
            let fits = seconds == 0.0 || pace.seconds(seconds) <= left();
            let mut late = false;
            let done = if fits {
                let mut stopping = |event: Event<'_>| {
                    late = left() <= 0.0 && matches!(event, Event::Train(_) | Event::Started { .. });
                    let asked = watch(event).is_break();
                    ended.stopped |= asked;
                    if asked || late { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                runner.job(job, &mut stopping)
            } else {
                Ok(false)
            };
            let done = match done {
                Ok(done) => done,
                Err(error) => {
                    or_note(&mut ended.failed, experiment, error)?;
                    break;
                }
            };
            if ended.stopped {
                return Ok(ended);
            }
            if !done {
                ended.left_out.push(LeftOut {
                    experiment: experiment.name.clone(),
                    run: experiment.title(job),
                    data: experiment.data[job.set].name.clone(),
                    seconds,
                });
            }
        }
        let (sets, seeds) = finished(experiment, &runner);
        if seeds > 0 {
            let Some(results) = runner.collect(&sets, seeds, watch)? else {
                ended.stopped = true;
                return Ok(ended);
            };
            report(place, &experiment.part(&sets, seeds), &results)?;
        }
    }
    Ok(ended)
}

/// The runs of an experiment with what they will cost: by seed, then the cheapest data set, then the cheapest run.
fn ordered(member: &Member<'_>, options: &Options) -> Result<Jobs, ExperimentError> {
    let mut runner = Runner::new(member.experiment, options)?;
    let mut jobs = Vec::new();
    for job in member.experiment.jobs() {
        jobs.push((job, runner.estimate(job, &member.costs)?));
    }
    runner.unload();
    let of_set = |set: usize| -> f64 {
        jobs.iter().filter(|(job, _)| job.set == set).map(|(_, seconds)| seconds).sum()
    };
    let sets: Vec<f64> = (0..member.experiment.data.len()).map(of_set).collect();
    jobs.sort_by(|(a, x), (b, y)| {
        let order = sets[a.set].total_cmp(&sets[b.set]).then(a.set.cmp(&b.set));
        a.seed.cmp(&b.seed).then(order).then(x.total_cmp(y)).then(a.run.cmp(&b.run))
    });
    Ok(jobs)
}

/// The data sets that are finished with the first seed, and the number of seeds that are finished on all of them.
fn finished(experiment: &Experiment, runner: &Runner<'_>) -> (Vec<usize>, usize) {
    let whole = |seed: usize, set: usize| {
        (0..experiment.runs.len()).all(|run| runner.done.contains_key(&Job { seed, set, run }))
    };
    let sets: Vec<usize> = (0..experiment.data.len()).filter(|&set| whole(0, set)).collect();
    if sets.is_empty() {
        return (sets, 0);
    }
    let seeds = (0..experiment.times()).take_while(|&seed| sets.iter().all(|&set| whole(seed, set))).count();
    (sets, seeds)
}
