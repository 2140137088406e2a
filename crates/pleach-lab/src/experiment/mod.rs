//! Experiments: a grid of recipes over data sets, described by one TOML file, and the tables it fills.
//!
//! Every run (a recipe on a data set) is trained once: its model, scores and graphs lie in a cache under a key
//! that is made of all that decides the result. A stopped experiment goes on where it was, inside a run by
//! the trainer's own checkpoint. Votes and diversity are of `zhang-2016` section 5.4.
//!
//! ```toml
//! title = "Two systems"
//! notes = ["Gold tags."]                # paragraphs under the title
//! folder = "../data"                    # where data files are looked for, from here
//! diversity = ["st", "ss"]              # or true for all runs
//! seeds = 3                             # every run with seeds 1 to 3 (or a list): means and spreads
//! bench = true                          # measure each model's speed and memory in a process of its own
//!
//! [defaults]                            # keys of recipes, for all runs
//! epochs = 6
//!
//! [data.en]
//! train = "en/train.conllu"
//! dev = "en/dev.conllu"
//! limit = 4000                          # the first sentences only
//! held_out = 12                         # in place of dev: every 12th training sentence is development data
//! guarantees = true                     # measure what `pleach parse` gives, not what parsers find by themselves
//!
//! [recipes.st]
//! preset = "st-combined"
//! [recipes.ss]
//! preset = "ss-combined"
//!
//! [axes]                                # crossed with every recipe
//! beam = [1, 16]
//!
//! [votes.both]
//! runs = ["st beam=16", "ss beam=16"]
//! threshold = 0.5
//! [votes.weighed]
//! runs = ["st beam=16", "ss beam=16"]
//! weighted = true                       # weights are learnt, for each half of dev from the other half
//!
//! [[contrasts]]                         # mean difference of runs that differ in one key only
//! title = "A beam helps"
//! key = "beam"
//! of = 16
//! minus = 1
//!
//! [[finding]]                           # what a paper found; verdicts are computed
//! says = "a beam helps"
//! of = "zhang-2016"                     # the paper
//! better = "st beam=16"                 # a row, or several: the mean of their differences counts
//! than = "st beam=1"
//! measure = "LF"
//! paper = "+0.74"
//! claim = "better"                      # or "alike", "no-worse": up to `within` points
//!
//! [[tables]]
//! title = "Scores"
//! columns = ["LP", "LR", "LF"]
//! wide = true                           # one table, data sets side by side
//!
//! [[plots]]                             # an SVG file beside the report
//! x = "beam"                            # or "sentences": data sets by their size, a curve for each run
//! y = ["LF"]
//! with = ["families-all"]               # with "sentences": the runs of these names in other reports, too
//! ```

mod alone;
mod cache;
mod claim;
mod cost;
mod counting;
mod error;
mod finding;
mod grid;
mod loaded;
mod mean;
mod page;
mod plan;
mod plot;
mod report;
mod run;
mod suite;

pub use alone::{Alone, Measure, Subject};
pub use cache::{Measurement, RunRecord};
pub use cost::Costs;
pub use error::ExperimentError;
pub use finding::{Claim, Finding, Shown, Verdict};
pub use page::Page;
pub use plan::{Contrast, DataSet, Experiment, RunPlan, TablePlan, VotePlan};
pub use plot::{Curve, PlotPlan, Reports, draw_curves};
pub use report::COLUMNS;
pub use run::{DataSize, Event, Options, Results};
pub use suite::{Ended, LeftOut, Member, Report, run_all};
