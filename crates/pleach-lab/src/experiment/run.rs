//! Running an experiment: train what is missing, measure, vote.

use super::alone::{Measure, subject};
use super::cache::{Cache, Measurement, RunRecord, Spent, run_keys, vote_key};
use super::plan::{DataSet, Experiment, ExperimentError, RunPlan, VotePlan};
use crate::diversity::Diversity;
use cpu_time::{ProcessTime, ThreadTime};
use pleach_formats::Reader;
use pleach_graph::{Arc, Graph, NodeId, Sentence};
use pleach_model::{Model, View, comparable};
use pleach_parsers::ensure::Guarantees;
use pleach_parsers::families::vote_section;
use pleach_parsers::train::{self, Corpus, Training};
use pleach_parsers::{CATALOGUE, ParseOptions, Parser, ParserError, Workspace};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

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
    /// By data set, then by run.
    pub runs: Vec<Vec<RunRecord>>,
    /// By data set, then by vote.
    pub votes: Vec<Vec<RunRecord>>,
    /// By data set, when asked for.
    pub diversity: Vec<Option<Diversity>>,
}

/// What may stop an experiment.
type Watch<'w> = dyn FnMut(Event<'_>) -> ControlFlow<()> + 'w;

/// A data set in memory.
struct Loaded<'a> {
    set: &'a DataSet,
    dev: PathBuf,
    names: (String, String),
    corpus: Corpus,
    fingerprint: u64,
}

impl Experiment {
    /// Runs what is not in the cache; `None` when `watch` stopped it.
    pub fn run(
        &self,
        options: &Options,
        watch: &mut dyn FnMut(Event<'_>) -> ControlFlow<()>,
    ) -> Result<Option<Results>, ExperimentError> {
        let cache = Cache::open(&options.cache)?;
        let folder = options.folder.as_deref().unwrap_or(&self.folder);
        let mut results =
            Results { sizes: Vec::new(), runs: Vec::new(), votes: Vec::new(), diversity: Vec::new() };
        for set in &self.data {
            let loaded = Loaded::read(set, folder)?;
            results.sizes.push(loaded.size());
            if watch(Event::Read { data: &set.name }).is_break() {
                return Ok(None);
            }
            let (mut runs, mut trained) = (Vec::new(), BTreeSet::new());
            for run in &self.runs {
                let Some(mut record) = loaded.run(run, options, &cache, &mut trained, watch)? else {
                    return Ok(None);
                };
                if let (true, Some(measure)) = (self.bench, &options.measure) {
                    loaded.bench(measure, &mut record, run, &cache)?;
                }
                runs.push(record);
            }
            let mut votes = Vec::new();
            for vote in &self.votes {
                let record = loaded.vote(vote, &runs, options, &cache)?;
                let event = Event::Finished { run: &vote.name, data: &set.name, result: &record.result };
                votes.push(record.clone());
                if watch(event).is_break() {
                    return Ok(None);
                }
            }
            results.diversity.push(self.diversity(&loaded, &runs, &cache)?);
            results.runs.push(runs);
            results.votes.push(votes);
        }
        Ok(Some(results))
    }

    fn diversity(
        &self,
        loaded: &Loaded<'_>,
        records: &[RunRecord],
        cache: &Cache,
    ) -> Result<Option<Diversity>, ExperimentError> {
        if self.diversity.len() < 2 {
            return Ok(None);
        }
        let lengths: Vec<usize> = loaded.corpus.dev.iter().map(words).collect();
        let mut diversity =
            Diversity::new(self.diversity.iter().map(|&run| self.runs[run].name.clone()).collect());
        let mut graphs = Vec::new();
        for &run in &self.diversity {
            let record = &records[run];
            graphs.push(match cache.graphs(&record.key, &lengths) {
                Some(graphs) => graphs,
                None => {
                    let parser = cache.parser(record)?;
                    let parsed = loaded.parse(&parser).0;
                    parsed.into_iter().map(|sentence| result_graph(&parser, sentence)).collect()
                }
            });
        }
        for i in 0..lengths.len() {
            diversity.add(&graphs.iter().map(|graphs| &graphs[i]).collect::<Vec<&Graph>>());
        }
        Ok(Some(diversity))
    }
}

impl<'a> Loaded<'a> {
    fn read(set: &'a DataSet, folder: &Path) -> Result<Self, ExperimentError> {
        let read = |path: &Path, limit: usize| -> Result<Vec<Sentence>, ExperimentError> {
            let reader = Reader::open(&folder.join(path), set.format)?;
            Ok(reader.take(limit).collect::<Result<_, _>>()?)
        };
        let train = read(&set.train, set.limit.unwrap_or(usize::MAX))?;
        let dev = read(&set.dev, usize::MAX)?;
        let corpus = Corpus { train, dev };
        let name = |path: &Path| path.display().to_string();
        Ok(Loaded {
            set,
            dev: folder.join(&set.dev),
            names: (name(&set.train), name(&set.dev)),
            fingerprint: corpus.fingerprint(),
            corpus,
        })
    }

    fn size(&self) -> DataSize {
        let count = |sentences: &[Sentence]| (sentences.len(), sentences.iter().map(words).sum());
        DataSize { train: count(&self.corpus.train), dev: count(&self.corpus.dev) }
    }

    /// Trains a run, or goes on with it, or finds it in the cache; `None` when it was stopped. `trained` are the models that
    /// this experiment made.
    fn run(
        &self,
        run: &RunPlan,
        options: &Options,
        cache: &Cache,
        trained: &mut BTreeSet<String>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<RunRecord>, ExperimentError> {
        let title = || format!("{} on {}", run.name, self.set.name);
        let keys = run_keys(&run.recipe, self.fingerprint);
        let (key, model) = keys.map_err(|source| ExperimentError::Data { run: title(), source })?;
        let (name, data) = (run.name.as_str(), self.set.name.as_str());
        if !options.fresh
            && let Some(record) = cache.run(&key, &run.recipe)
        {
            let stop = watch(Event::Cached { run: name, data }).is_break();
            return Ok((!stop).then_some(record));
        }
        // A model that an earlier run of this experiment made anew is not made once more.
        let mut spent =
            if options.fresh && !trained.contains(&model) { Spent::default() } else { cache.spent(&model) };
        if !spent.done {
            let work = self.corpus.train.len() * run.recipe.number("epochs").unwrap_or(1);
            if watch(Event::Started { run: name, data, work }).is_break() {
                return Ok(None);
            }
            let training = Training {
                recipe: run.recipe.clone(),
                corpus: self.corpus.clone(),
                names: self.names.clone(),
                fresh: options.fresh,
            };
            let (before, clock, cpu) = (spent, Instant::now(), ProcessTime::now());
            let so_far = || Spent {
                seconds: before.seconds + clock.elapsed().as_secs_f64(),
                cpu_seconds: before.cpu_seconds + cpu.elapsed().as_secs_f64(),
                done: false,
            };
            let mut noted = Ok(());
            let outcome = training.run(CATALOGUE, &cache.model(&model), &mut |event| {
                if matches!(event, train::Event::Epoch { .. }) {
                    noted = cache.note(&model, so_far());
                }
                watch(Event::Train(&event))
            });
            let outcome = outcome.map_err(|source| ExperimentError::Train { run: title(), source })?;
            noted?;
            spent = Spent { done: !outcome.stopped, ..so_far() };
            cache.note(&model, spent)?;
            if outcome.stopped {
                return Ok(None);
            }
        }
        trained.insert(model.clone());
        let parser = Parser::open(&cache.model(&model))?.parsing_as(&run.recipe)?;
        let root = parser.model().root();
        let provenance = root.provenance();
        let (epoch, lost) =
            (provenance.map(|from| from.epoch), provenance.map(|from| from.arcs_out_of_reach));
        let (graphs, mut result) = self.measure(&parser, spent);
        (result.epoch, result.arcs_out_of_reach) = (epoch, lost);
        let all = self.corpus.train.len().max(1) as f64;
        result.trained_on = provenance.map(|from| 100.0 * from.sentences as f64 / all);
        let (recipe, model) = (Some(run.recipe.table().clone()), Some(model));
        let record = RunRecord { recipe, model, ..record(key, options, result) };
        cache.finish(&record, Some(&graphs))?;
        let stop = watch(Event::Finished { run: name, data, result: &record.result }).is_break();
        Ok((!stop).then_some(record))
    }

    /// Measures a run's model alone, if that was not done before.
    fn bench(
        &self,
        measure: &Measure,
        record: &mut RunRecord,
        run: &RunPlan,
        cache: &Cache,
    ) -> Result<(), ExperimentError> {
        if let (None, Some(model)) = (record.result.alone, &record.model) {
            let data = (self.dev.as_path(), self.set.format);
            let subject = subject(&cache.model(model), &run.recipe, data)?;
            let measured = measure(&subject).map_err(|message| ExperimentError::Bench { message })?;
            record.result.alone = Some(measured);
            cache.finish(record, None)?;
        }
        Ok(())
    }

    /// Lets finished runs vote.
    fn vote(
        &self,
        vote: &VotePlan,
        runs: &[RunRecord],
        options: &Options,
        cache: &Cache,
    ) -> Result<RunRecord, ExperimentError> {
        let members: Vec<&RunRecord> = vote.runs.iter().map(|&run| &runs[run]).collect();
        let keys: Vec<&str> = members.iter().map(|member| member.key.as_str()).collect();
        let key = vote_key(&keys, vote.threshold);
        if !options.fresh
            && let Some(record) = cache.vote(&key)
        {
            return Ok(record);
        }
        let spent = members.iter().fold(Spent::default(), |sum, member| Spent {
            seconds: sum.seconds + member.result.train_seconds,
            cpu_seconds: sum.cpu_seconds + member.result.train_cpu_seconds,
            done: true,
        });
        let members: Result<Vec<Parser>, _> = members.iter().map(|member| cache.parser(member)).collect();
        let members = members?;
        let failed = ParserError::from;
        let roots: Vec<View> = members.iter().map(|member| member.model().root()).collect();
        let voters = vote_section(&roots, vote.threshold);
        let bytes = Model::to_bytes(&voters).map_err(failed)?;
        let model = Model::from_bytes(&vote.name, &bytes).map_err(failed)?;
        drop(bytes);
        let (_, result) = self.measure(&Parser::new(&vote.name, model)?, spent);
        let record = record(key, options, result);
        cache.finish(&record, None)?;
        Ok(record)
    }

    /// The parsed development data, and processor seconds.
    fn parse(&self, parser: &Parser) -> (Vec<Sentence>, f64) {
        // Tables of papers are about what parsers find by themselves.
        let options = ParseOptions { guarantees: Some(Guarantees::default()), ..parser.options };
        let parts: Vec<(Vec<Sentence>, f64)> = self
            .corpus
            .dev
            .par_chunks(64)
            .map_init(Workspace::default, |workspace, sentences| {
                let mut sentences = sentences.to_vec();
                let clock = ThreadTime::now();
                sentences.iter_mut().for_each(|sentence| parser.parse_with(sentence, &options, workspace));
                (sentences, clock.elapsed().as_secs_f64())
            })
            .collect();
        let seconds = parts.iter().map(|(_, seconds)| seconds).sum();
        (parts.into_iter().flat_map(|(sentences, _)| sentences).collect(), seconds)
    }

    fn measure(&self, parser: &Parser, spent: Spent) -> (Vec<Graph>, Measurement) {
        let (parsed, seconds) = self.parse(parser);
        let tokens: usize = self.corpus.dev.iter().map(words).sum();
        let result = Measurement {
            scores: parser.scores(&self.corpus.dev, &parsed),
            tokens_per_second: tokens as f64 / seconds.max(1e-9),
            train_seconds: spent.seconds,
            train_cpu_seconds: spent.cpu_seconds,
            model_bytes: parser.model().size() as u64,
            epoch: None,
            arcs_out_of_reach: None,
            trained_on: None,
            alone: None,
        };
        (parsed.into_iter().map(|sentence| result_graph(parser, sentence)).collect(), result)
    }
}

/// What a parser found, as a graph: its own, or that of the basic tree.
fn result_graph(parser: &Parser, sentence: Sentence) -> Graph {
    if parser.gives_graphs() {
        return comparable(sentence, parser.unlabelled());
    }
    let mut sentence = sentence;
    pleach_graph::enhanced::collapse(&mut sentence);
    let arcs = sentence.tokens.iter().enumerate().filter_map(|(i, token)| {
        Some(Arc { head: token.head?, dependent: NodeId(i as u32 + 1), label: token.deprel.clone() })
    });
    Graph::from_arcs(sentence.len(), arcs.collect())
}

fn record(key: String, options: &Options, result: Measurement) -> RunRecord {
    let pleach = env!("CARGO_PKG_VERSION").to_owned();
    RunRecord { key, model: None, recipe: None, pleach, commit: options.commit.clone(), result }
}

fn words(sentence: &Sentence) -> usize {
    sentence.tokens.iter().filter(|token| !token.id.is_empty_node()).count()
}
