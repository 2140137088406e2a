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
//! bench = true                          # measure each model's speed and memory in a process of its own
//!
//! [defaults]                            # keys of recipes, for all runs
//! epochs = 6
//!
//! [data.en]
//! train = "en/train.conllu"
//! dev = "en/dev.conllu"
//! limit = 4000                          # the first sentences only
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
//!
//! [[contrasts]]                         # mean difference of runs that differ in one key only
//! title = "A beam helps"
//! key = "beam"
//! of = 16
//! minus = 1
//!
//! [[tables]]
//! title = "Scores"
//! columns = ["LP", "LR", "LF"]
//! wide = true                           # one table, data sets side by side
//!
//! [[plots]]                             # an SVG file beside the report
//! x = "beam"
//! y = ["LF"]
//! ```

mod alone;
mod cache;
mod plan;
mod plot;
mod report;
mod run;

pub use alone::{Alone, Measure, Subject};
pub use cache::{Measurement, RunRecord};
pub use plan::{Contrast, DataSet, Experiment, ExperimentError, RunPlan, TablePlan, VotePlan};
pub use plot::{Curve, PlotPlan, draw_curves};
pub use report::{COLUMNS, Origin};
pub use run::{DataSize, Event, Options, Results};
