//! A data set in memory: runs are trained on it, measured on it, and vote on it.

use super::alone::{Measure, subject};
use super::cache::{Cache, Measurement, RunRecord, Spent, run_keys, vote_key};
use super::cost::{self, Costs};
use super::error::ExperimentError;
use super::plan::{DataSet, VotePlan};
use super::run::{DataSize, Event, Options, Watch};
use cpu_time::{ProcessTime, ThreadTime};
use pleach_eval::graph::{Crossing, Locality};
use pleach_formats::Reader;
use pleach_graph::properties::{Edges, Root, is_projective};
use pleach_graph::{Arc, Graph, NodeId, Sentence};
use pleach_model::recipe::Recipe;
use pleach_model::{Model, Scores, Section, View, comparable};
use pleach_parsers::ensure::Guarantees;
use pleach_parsers::families::text::PIPELINE;
use pleach_parsers::families::{tuned_vote_section, vote_section};
use pleach_parsers::train::{self, Corpus, Training};
use pleach_parsers::{CATALOGUE, ParseOptions, Parser, ParserError, Tags, Workspace};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A data set in memory.
pub(super) struct Loaded<'a> {
    set: &'a DataSet,
    dev: PathBuf,
    names: (String, String),
    corpus: Corpus,
    fingerprint: u64,
}

impl<'a> Loaded<'a> {
    pub fn read(set: &'a DataSet, folder: &Path) -> Result<Self, ExperimentError> {
        let read = |path: &Path, limit: usize| -> Result<Vec<Sentence>, ExperimentError> {
            let reader = Reader::open(&folder.join(path), set.format)?;
            Ok(reader.take(limit).collect::<Result<_, _>>()?)
        };
        let limit = set.limit.unwrap_or(usize::MAX);
        let mut corpus = match set.held_out {
            Some(step) => divided(read(&set.train, usize::MAX)?, step, limit),
            None => Corpus { train: read(&set.train, limit)?, dev: read(&set.dev, usize::MAX)? },
        };
        for sentences in [&mut corpus.train, &mut corpus.dev] {
            if let Some(share) = set.crossing {
                enrich(sentences, share, |sentence| !is_projective(&tree_graph(sentence.clone())));
            }
            if let Some(share) = set.crossing_graphs {
                enrich(sentences, share, |sentence| {
                    let graph = comparable(sentence.clone(), true);
                    !Edges::new(&graph, Root::Excluded).is_noncrossing()
                });
            }
        }
        let name = |path: &Path| path.display().to_string();
        Ok(Loaded {
            set,
            dev: folder.join(&set.dev),
            names: (name(&set.train), name(&set.dev)),
            fingerprint: corpus.fingerprint(),
            corpus,
        })
    }

    /// How large it is.
    pub fn size(&self) -> DataSize {
        let count = |sentences: &[Sentence]| (sentences.len(), sentences.iter().map(words).sum());
        DataSize { train: count(&self.corpus.train), dev: count(&self.corpus.dev) }
    }

    /// Trains a run, or goes on with it, or finds it in the cache; `None` when it was stopped. `trained` are the models that
    /// this experiment made.
    pub fn run(
        &self,
        (name, recipe): (&str, &Recipe),
        options: &Options,
        cache: &Cache,
        trained: &mut BTreeSet<String>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<RunRecord>, ExperimentError> {
        let title = || format!("{name} on {}", self.set.name);
        let (key, model) = self.keys(name, recipe)?;
        let data = self.set.name.as_str();
        if !options.fresh
            && let Some(record) = cache.run(&key, recipe)
        {
            let stop = watch(Event::Cached { run: name, data }).is_break();
            return Ok((!stop).then(|| self.complete(record, cache)));
        }
        // A model that an earlier run of this experiment made anew is not made once more.
        let mut spent =
            if options.fresh && !trained.contains(&model) { Spent::default() } else { cache.spent(&model) };
        if !spent.done {
            let work = self.corpus.train.len() * cost::epochs_of(recipe, self.corpus.train.len());
            if watch(Event::Started { run: name, data, work }).is_break() {
                return Ok(None);
            }
            let training = Training {
                recipe: recipe.clone(),
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
        let parser = Parser::open(&cache.model(&model))?.parsing_as(recipe)?;
        let root = parser.model().root();
        let provenance = root.provenance();
        let (epoch, lost) =
            (provenance.map(|from| from.epoch), provenance.map(|from| from.arcs_out_of_reach));
        let (graphs, mut result) = self.measure(std::slice::from_ref(&parser), spent);
        (result.epoch, result.arcs_out_of_reach) = (epoch, lost);
        let all = self.corpus.train.len().max(1) as f64;
        result.trained_on = provenance.map(|from| 100.0 * from.sentences as f64 / all);
        let (recipe, model) = (Some(recipe.table().clone()), Some(model));
        let mut record = RunRecord { recipe, model, ..record(key, options, result) };
        record.result.recalls = self.recalls(&record, &graphs);
        cache.finish(&record, Some(&graphs))?;
        let stop = watch(Event::Finished { run: name, data, result: &record.result }).is_break();
        Ok((!stop).then_some(record))
    }

    fn keys(&self, name: &str, recipe: &Recipe) -> Result<(String, String), ExperimentError> {
        run_keys(recipe, self.fingerprint, self.set.guarantees)
            .map_err(|source| ExperimentError::Data { run: format!("{name} on {}", self.set.name), source })
    }

    /// The processor seconds that a run will still take, about.
    pub fn estimate(
        &self,
        (name, recipe): (&str, &Recipe),
        options: &Options,
        cache: &Cache,
        costs: &Costs,
    ) -> Result<f64, ExperimentError> {
        let (key, model) = self.keys(name, recipe)?;
        let (seconds, spent) =
            (costs.estimate(name, &self.set.name, recipe, self.size().train), cache.spent(&model));
        Ok(match options.fresh {
            true => seconds,
            false if cache.run(&key, recipe).is_some() => 0.0,
            // Parsing the development data once is left.
            false if spent.done => MEASURED * seconds,
            false => (seconds - spent.cpu_seconds).max(MEASURED * seconds),
        })
    }

    /// The gold graphs of the development data as the graphs of a run's record are.
    pub fn gold(&self, record: &RunRecord) -> Vec<Graph> {
        let tree = record.result.scores.get("LF").is_none();
        let flag = |recipe: &toml::Table| recipe.get("unlabelled").and_then(toml::Value::as_bool);
        let unlabelled = record.recipe.as_ref().and_then(flag).unwrap_or(false);
        let gold = |sentence: &Sentence| match tree {
            true => tree_graph(sentence.clone()),
            false => comparable(sentence.clone(), unlabelled),
        };
        self.corpus.dev.iter().map(gold).collect()
    }

    /// The graphs that a run or a vote gave, if they are there.
    pub fn graphs(&self, record: &RunRecord, cache: &Cache) -> Option<Vec<Graph>> {
        let lengths: Vec<usize> = self.corpus.dev.iter().map(words).collect();
        cache.graphs(&record.key, &lengths)
    }

    /// The graphs that a run gives; what the cache doesn't have is parsed.
    pub fn parsed(&self, record: &RunRecord, cache: &Cache) -> Result<Vec<Graph>, ExperimentError> {
        if let Some(graphs) = self.graphs(record, cache) {
            return Ok(graphs);
        }
        let parser = cache.parser(record)?;
        let parsed = self.parse(std::slice::from_ref(&parser)).0;
        Ok(parsed.into_iter().map(|sentence| result_graph(&parser, sentence)).collect())
    }

    /// Measures a run's model alone, if that was not done before.
    pub fn bench(
        &self,
        measure: &Measure,
        record: &mut RunRecord,
        recipe: &Recipe,
        cache: &Cache,
    ) -> Result<(), ExperimentError> {
        if let (None, Some(model)) = (record.result.alone, &record.model) {
            let data = (self.dev.as_path(), self.set.format);
            let subject = subject(&cache.model(model), recipe, data)?;
            let measured = measure(&subject).map_err(|message| ExperimentError::Bench { message })?;
            record.result.alone = Some(measured);
            cache.finish(record, None)?;
        }
        Ok(())
    }

    /// Lets finished runs vote.
    pub fn vote(
        &self,
        vote: &VotePlan,
        members: &[&RunRecord],
        options: &Options,
        cache: &Cache,
    ) -> Result<RunRecord, ExperimentError> {
        let keys: Vec<&str> = members.iter().map(|member| member.key.as_str()).collect();
        let key = vote_key(&keys, vote.threshold, vote.weighted);
        if !options.fresh
            && let Some(record) = cache.vote(&key)
            && self.graphs(&record, cache).is_some()
        {
            return Ok(self.complete(record, cache));
        }
        let spent = members.iter().fold(Spent::default(), |sum, member| Spent {
            seconds: sum.seconds + member.result.train_seconds,
            cpu_seconds: sum.cpu_seconds + member.result.train_cpu_seconds,
            done: true,
        });
        let members: Result<Vec<Parser>, _> = members.iter().map(|member| cache.parser(member)).collect();
        let members = members?;
        let roots: Vec<View> = members.iter().map(|member| member.model().root()).collect();
        let open = |section: &Section<'_>| -> Result<Parser, ExperimentError> {
            let bytes = Model::to_bytes(section).map_err(ParserError::from)?;
            Ok(Parser::new(&vote.name, Model::from_bytes(&vote.name, &bytes).map_err(ParserError::from)?)?)
        };
        let (graphs, result) = match vote.weighted {
            false => self.measure(&[open(&vote_section(&roots, vote.threshold))?], spent),
            true => {
                // Each half is parsed with the weights that are best for the other one.
                let mut parsers = Vec::new();
                for half in [1, 0] {
                    let tune: Vec<Sentence> = self.corpus.dev.iter().skip(half).step_by(2).cloned().collect();
                    let (section, _) = tuned_vote_section(&roots, &tune, CATALOGUE)
                        .map_err(|source| ParserError::Open { file: vote.name.clone(), source })?;
                    parsers.push(open(&section)?);
                }
                self.measure(&parsers, spent)
            }
        };
        let mut record = record(key, options, result);
        record.result.recalls = self.recalls(&record, &graphs);
        cache.finish(&record, Some(&graphs))?;
        Ok(record)
    }

    /// The parsed development data, and processor seconds. Of several parsers, one has the first sentence, the next one
    /// the second, and so on.
    fn parse(&self, parsers: &[Parser]) -> (Vec<Sentence>, f64) {
        // Tables of papers are about what parsers find by themselves. A pipeline is there for its own tags.
        let guarantees = (!self.set.guarantees).then(Guarantees::default);
        let options = |parser: &Parser| {
            let tags = match parser.model().root().family() {
                PIPELINE => Tags::Predicted,
                _ => parser.options.tags,
            };
            ParseOptions { guarantees, tags, ..parser.options }
        };
        let parts: Vec<(Vec<Sentence>, f64)> = self
            .corpus
            .dev
            .par_chunks(CHUNK)
            .enumerate()
            .map_init(Workspace::default, |workspace, (chunk, sentences)| {
                let mut sentences = sentences.to_vec();
                let clock = ThreadTime::now();
                for (i, sentence) in sentences.iter_mut().enumerate() {
                    let parser = &parsers[(chunk * CHUNK + i) % parsers.len().max(1)];
                    parser.parse_with(sentence, &options(parser), workspace);
                }
                (sentences, clock.elapsed().as_secs_f64())
            })
            .collect();
        let seconds = parts.iter().map(|(_, seconds)| seconds).sum();
        (parts.into_iter().flat_map(|(sentences, _)| sentences).collect(), seconds)
    }

    /// Recall of local and non-local arcs, precision and recall of crossing ones; none for trees.
    fn recalls(&self, record: &RunRecord, graphs: &[Graph]) -> Scores {
        if record.result.scores.get("LF").is_none() {
            return Scores::default();
        }
        let (mut locality, mut crossing) = (Locality::default(), Crossing::default());
        for (gold, graph) in self.gold(record).iter().zip(graphs) {
            locality.add(gold, graph);
            crossing.add(gold, graph);
        }
        let shares = locality.recalls().chain(crossing.shares());
        Scores::new(shares.map(|(name, share)| (name, 100.0 * share)))
    }

    /// Adds to a record that was made before recalls, or those of crossing arcs, were measured.
    fn complete(&self, mut record: RunRecord, cache: &Cache) -> RunRecord {
        if record.result.recalls.get("URX").is_none()
            && let Some(graphs) = self.graphs(&record, cache)
        {
            record.result.recalls = self.recalls(&record, &graphs);
        }
        record
    }

    fn measure(&self, parsers: &[Parser], spent: Spent) -> (Vec<Graph>, Measurement) {
        let (parsed, seconds) = self.parse(parsers);
        let parser = &parsers[0];
        let tokens: usize = self.corpus.dev.iter().map(words).sum();
        let result = Measurement {
            scores: parser.scores(&self.corpus.dev, &parsed),
            recalls: Scores::default(),
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

/// The share of a training's time that parsing the development data once takes, about.
const MEASURED: f64 = 0.1;

/// Sentences that a thread takes at once.
const CHUNK: usize = 64;

/// Every so many-th sentence is put aside as development data, the first of the others are learnt from.
fn divided(sentences: Vec<Sentence>, step: usize, limit: usize) -> Corpus {
    let mut corpus = Corpus { train: Vec::new(), dev: Vec::new() };
    for (i, sentence) in sentences.into_iter().enumerate() {
        let held_out = (i + 1) % step.max(2) == 0;
        (if held_out { &mut corpus.dev } else { &mut corpus.train }).push(sentence);
    }
    corpus.train.truncate(limit);
    corpus
}

/// Leaves out the last sentences that don't cross, so that those that do are this share.
fn enrich(sentences: &mut Vec<Sentence>, share: f64, crosses: impl Fn(&Sentence) -> bool) {
    let crossing: Vec<bool> = sentences.iter().map(crosses).collect();
    let count = crossing.iter().filter(|&&crossing| crossing).count();
    let most = (count as f64 * (1.0 - share) / share).round() as usize;
    let (mut kept, mut flags) = (0, crossing.into_iter());
    sentences.retain(|_| {
        let crossing = flags.next().unwrap_or(true);
        kept += usize::from(!crossing);
        crossing || kept <= most
    });
}

/// What a parser found, as a graph: its own, or that of the basic tree.
fn result_graph(parser: &Parser, sentence: Sentence) -> Graph {
    if parser.gives_graphs() {
        return comparable(sentence, parser.unlabelled());
    }
    tree_graph(sentence)
}

/// The basic tree of a sentence as a graph.
fn tree_graph(mut sentence: Sentence) -> Graph {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_out_sentences_are_not_learnt_from() {
        let sentences: Vec<Sentence> = (1..=7).map(|i| Sentence::from_forms([format!("w{i}")])).collect();
        let forms = |sentences: &[Sentence]| -> Vec<String> {
            sentences.iter().map(|sentence| sentence.tokens[0].form.to_string()).collect()
        };
        let whole = divided(sentences.clone(), 3, usize::MAX);
        assert_eq!(forms(&whole.train), ["w1", "w2", "w4", "w5", "w7"]);
        assert_eq!(forms(&whole.dev), ["w3", "w6"]);
        // A limit is one of training sentences: what is measured on stays the same.
        let small = divided(sentences, 3, 2);
        assert_eq!(
            (forms(&small.train), forms(&small.dev)),
            (vec!["w1".into(), "w2".into()], forms(&whole.dev))
        );
    }

    #[test]
    fn crossing_trees_are_the_share_that_is_asked_for() {
        let tree = |heads: &[u32]| {
            let mut sentence = Sentence::from_forms(heads.iter().map(|head| format!("w{head}")));
            for (token, &head) in sentence.tokens.iter_mut().zip(heads) {
                token.head = Some(NodeId(head));
            }
            sentence
        };
        let (flat, crossing) = (tree(&[0, 1, 1, 1]), tree(&[3, 4, 0, 3]));
        let crosses = |sentence: &Sentence| !is_projective(&tree_graph(sentence.clone()));
        assert!(crosses(&crossing) && !crosses(&flat));
        let mut sentences = vec![flat.clone(), crossing.clone(), flat.clone(), flat.clone(), flat.clone()];
        enrich(&mut sentences, 1.0 / 3.0, crosses);
        assert_eq!(sentences, [flat.clone(), crossing.clone(), flat]);
        enrich(&mut sentences, 1.0, crosses);
        assert_eq!(sentences, [crossing]);
    }
}
