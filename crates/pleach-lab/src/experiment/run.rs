//! Running an experiment: train what is missing, measure, vote.

use super::alone::Measure;
use super::cache::{Cache, Measurement, RunRecord};
use super::cost::Costs;
use super::error::ExperimentError;
use super::finding::Shown;
use super::loaded::Loaded;
use super::plan::Experiment;
use super::report::cell;
use crate::diversity::Diversity;
use pleach_graph::Graph;
use pleach_parsers::train;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Where an experiment reads and keeps things.
pub struct Options {
    /// The folder of the data, when it is not the one that the file names.
    pub folder: Option<PathBuf>,
    /// The folder of finished runs.
    pub cache: PathBuf,
    /// Train everything anew.
    pub fresh: bool,
    /// How models are measured alone when an experiment asks for that; without it they are not.
    pub measure: Option<Box<Measure>>,
    /// The commit that the program was built from, for the records.
    pub commit: Option<String>,
}

/// What an experiment tells while it goes.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A data set is read.
    Read {
        /// Its name.
        data: &'a str,
    },
    /// A run is found in the cache.
    Cached {
        /// Its name.
        run: &'a str,
        /// Its data set.
        data: &'a str,
    },
    /// A run is being trained.
    Started {
        /// Its name.
        run: &'a str,
        /// Its data set.
        data: &'a str,
        /// The sentences that it goes through, epochs multiplied.
        work: usize,
    },
    /// What the trainer says.
    Train(&'a train::Event),
    /// A run or a vote is finished.
    Finished {
        /// Its name.
        run: &'a str,
        /// Its data set.
        data: &'a str,
        /// What it reached.
        result: &'a Measurement,
    },
}

/// How large a data set is.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSize {
    /// Training sentences and words, after the limit.
    pub train: (usize, usize),
    /// Development sentences and words.
    pub dev: (usize, usize),
}

/// Everything that an experiment found.
#[derive(Debug)]
pub struct Results {
    /// The size of each data set.
    pub sizes: Vec<DataSize>,
    /// By data set, then by run: the mean over seeds.
    pub runs: Vec<Vec<RunRecord>>,
    /// By data set, then by vote: the mean over seeds.
    pub votes: Vec<Vec<RunRecord>>,
    /// By data set, then by run and after them by vote, then by seed.
    pub seeds: Vec<Vec<Vec<RunRecord>>>,
    /// By data set, when asked for; of the first seed.
    pub diversity: Vec<Option<Diversity>>,
    /// By finding, then by data set.
    pub findings: Vec<Vec<Shown>>,
}

impl Results {
    /// Every run and vote with every seed.
    pub(super) fn records(&self) -> impl Iterator<Item = &RunRecord> {
        self.seeds.iter().flatten().flatten()
    }
}

/// What may stop an experiment.
pub(super) type Watch<'w> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'w;

/// A run on a data set with a seed, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Job {
    pub seed: usize,
    pub set: usize,
    pub run: usize,
}

impl Experiment {
    /// Runs what is not in the cache; `None` when `watch` stopped it.
    pub fn run(
        &self,
        options: &Options,
        watch: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Results>, ExperimentError> {
        let mut runner = Runner::new(self, options)?;
        for job in self.jobs() {
            if !runner.job(job, watch)? {
                return Ok(None);
            }
        }
        let sets: Vec<usize> = (0..self.data.len()).collect();
        runner.collect(&sets, self.times(), watch)
    }

    /// All that is to be run, seed by seed.
    pub(super) fn jobs(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for seed in 0..self.times() {
            for set in 0..self.data.len() {
                jobs.extend((0..self.runs.len()).map(|run| Job { seed, set, run }));
            }
        }
        jobs
    }

    /// The name of a run with a seed.
    pub(super) fn title(&self, job: Job) -> String {
        let name = &self.runs[job.run].name;
        match self.seeds.get(job.seed) {
            Some(seed) if self.seeds.len() > 1 => format!("{name}, seed {seed}"),
            _ => name.clone(),
        }
    }
}

/// An experiment under way.
pub(super) struct Runner<'a> {
    pub experiment: &'a Experiment,
    options: &'a Options,
    cache: Cache,
    folder: PathBuf,
    loaded: BTreeMap<usize, Loaded<'a>>,
    trained: BTreeSet<String>,
    pub done: BTreeMap<Job, RunRecord>,
}

impl<'a> Runner<'a> {
    pub fn new(experiment: &'a Experiment, options: &'a Options) -> Result<Self, ExperimentError> {
        Ok(Runner {
            experiment,
            options,
            cache: Cache::open(&options.cache)?,
            folder: options.folder.clone().unwrap_or_else(|| experiment.folder.clone()),
            loaded: BTreeMap::new(),
            trained: BTreeSet::new(),
            done: BTreeMap::new(),
        })
    }

    /// Reads a data set that was not read yet.
    fn load(&mut self, set: usize) -> Result<(), ExperimentError> {
        if !self.loaded.contains_key(&set) {
            let loaded = Loaded::read(&self.experiment.data[set], &self.folder)?;
            self.loaded.insert(set, loaded);
        }
        Ok(())
    }

    /// Forgets the data sets.
    pub fn unload(&mut self) {
        self.loaded.clear();
    }

    /// The processor seconds that a run will still take, about.
    pub fn estimate(&mut self, job: Job, costs: &Costs) -> Result<f64, ExperimentError> {
        self.load(job.set)?;
        let recipe = self.experiment.recipe(job.run, job.seed)?;
        let name = self.experiment.runs[job.run].name.as_str();
        let set = &self.loaded[&job.set];
        set.estimate((name, &recipe), self.options, &self.cache, costs)
    }

    /// Trains and measures a run, or finds it in the cache; false when it was stopped.
    pub fn job(&mut self, job: Job, watch: &mut Watch<'_>) -> Result<bool, ExperimentError> {
        if !self.loaded.contains_key(&job.set) {
            self.load(job.set)?;
            if watch(Event::Read { data: &self.experiment.data[job.set].name }).is_break() {
                return Ok(false);
            }
        }
        let recipe = self.experiment.recipe(job.run, job.seed)?;
        let title = self.experiment.title(job);
        let set = &self.loaded[&job.set];
        let Some(mut record) =
            set.run((&title, &recipe), self.options, &self.cache, &mut self.trained, watch)?
        else {
            return Ok(false);
        };
        if let (true, 0, Some(measure)) = (self.experiment.bench, job.seed, &self.options.measure) {
            set.bench(measure, &mut record, &recipe, &self.cache)?;
        }
        self.done.insert(job, record);
        Ok(true)
    }

    /// The results on some of the data sets with the first seeds, all of whose runs are done; `None` when it was stopped.
    pub fn collect(
        &mut self,
        sets: &[usize],
        seeds: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Results>, ExperimentError> {
        let experiment = self.experiment;
        let mut results = Results {
            sizes: Vec::new(),
            runs: Vec::new(),
            votes: Vec::new(),
            seeds: Vec::new(),
            diversity: Vec::new(),
            findings: vec![Vec::new(); experiment.findings.len()],
        };
        for &set in sets {
            self.load(set)?;
            let loaded = &self.loaded[&set];
            let record = |run: usize, seed: usize| self.done.get(&Job { seed, set, run }).cloned();
            let mut rows: Vec<Vec<RunRecord>> = (0..experiment.runs.len())
                .map(|run| (0..seeds).filter_map(|seed| record(run, seed)).collect())
                .collect();
            for vote in &experiment.votes {
                let mut row = Vec::new();
                for seed in 0..seeds {
                    let members: Vec<&RunRecord> = vote.runs.iter().map(|&run| &rows[run][seed]).collect();
                    let record = loaded.vote(vote, &members, self.options, &self.cache)?;
                    let data = &experiment.data[set].name;
                    let event = Event::Finished { run: &vote.name, data, result: &record.result };
                    let stop = watch(event).is_break();
                    row.push(record);
                    if stop {
                        return Ok(None);
                    }
                }
                rows.push(row);
            }
            results.sizes.push(loaded.size());
            results.diversity.push(self.diversity(loaded, &rows)?);
            for (place, finding) in experiment.findings.iter().enumerate() {
                let name = &experiment.data[set].name;
                if finding.data.is_empty() || finding.data.contains(name) {
                    results.findings[place].extend(self.finding(place, loaded, &rows, name)?);
                }
            }
            let mut means = rows.iter().map(|row| RunRecord::mean(row));
            results.runs.push(means.by_ref().take(experiment.runs.len()).collect());
            results.votes.push(means.collect());
            results.seeds.push(rows);
        }
        Ok(Some(results))
    }

    /// What a finding is on a data set; none when its rows don't have the measure.
    fn finding(
        &self,
        place: usize,
        loaded: &Loaded<'_>,
        rows: &[Vec<RunRecord>],
        data: &str,
    ) -> Result<Option<Shown>, ExperimentError> {
        let finding = &self.experiment.findings[place];
        let names = self.experiment.row_names();
        let row = |name: &String| names.iter().position(|known| known == name).map(|place| &rows[place]);
        let pairs: Vec<(&Vec<RunRecord>, &Vec<RunRecord>)> =
            finding.better.iter().zip(&finding.than).filter_map(|(a, b)| Some((row(a)?, row(b)?))).collect();
        let value = |record: &RunRecord| cell(record, &finding.measure).map(|cell| cell.0);
        let sum = |row: &[RunRecord]| row.iter().filter_map(value).sum::<f64>();
        let pairs = finding.counted(pairs, |(_, than)| sum(than));
        let mut differences = Vec::new();
        let mut graphs: Vec<(Vec<Graph>, Vec<Graph>)> = Vec::new();
        let mut gold = Vec::new();
        for seed in 0..rows.first().map_or(0, Vec::len) {
            let mut sum = 0.0;
            for (better, than) in &pairs {
                let (better, than) = (&better[seed], &than[seed]);
                let (Some(a), Some(b)) = (value(better), value(than)) else { return Ok(None) };
                sum += a - b;
                if gold.is_empty() {
                    gold = loaded.gold(better);
                }
                if let (Some(a), Some(b)) =
                    (loaded.graphs(better, &self.cache), loaded.graphs(than, &self.cache))
                {
                    graphs.push((a, b));
                }
            }
            differences.push(sum / pairs.len().max(1) as f64);
        }
        // Without all graphs there is no p.
        let complete = graphs.len() == differences.len() * pairs.len();
        let graphs: Vec<(&[Graph], &[Graph])> =
            graphs.iter().map(|(a, b)| (a.as_slice(), b.as_slice())).collect();
        let p = if complete { finding.p_value(&gold, &graphs) } else { None };
        Ok(Some(finding.shown(data, differences, p)))
    }

    fn diversity(
        &self,
        loaded: &Loaded<'_>,
        rows: &[Vec<RunRecord>],
    ) -> Result<Option<Diversity>, ExperimentError> {
        let chosen = &self.experiment.diversity;
        if chosen.len() < 2 {
            return Ok(None);
        }
        let mut diversity =
            Diversity::new(chosen.iter().map(|&run| self.experiment.runs[run].name.clone()).collect());
        let mut graphs = Vec::new();
        for &run in chosen {
            graphs.push(loaded.parsed(&rows[run][0], &self.cache)?);
        }
        for i in 0..graphs[0].len() {
            diversity.add(&graphs.iter().map(|graphs| &graphs[i]).collect::<Vec<&Graph>>());
        }
        Ok(Some(diversity))
    }
}
