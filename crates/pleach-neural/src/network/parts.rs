//! The tensors of a network: their names, shapes and beginnings.

use super::settings::Settings;
use super::vocabulary::Vocabulary;
use crate::tensors::{Initial, Layout, Slot};

/// The slots of all tensors.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    pub layout: Layout,
    pub inputs: Vec<Slot>,
    pub characters: Option<CharacterParts>,
    /// a and γ of the mixes of the caller's vectors; none where there is nothing to mix.
    pub mixes: Vec<Option<[Slot; 2]>>,
    /// What is added to the vectors of each origin, where it is learnt.
    pub differences: Vec<Option<Slot>>,
    pub layers: Vec<[LstmParts; 2]>,
    pub arcs: Option<ArcParts>,
    pub labels: Option<ClassifierParts>,
    pub positions: Vec<PositionParts>,
    pub tags: Vec<ClassifierParts>,
    /// The vectors of words (classes × hidden) and a bias.
    pub language: Option<DenseParts>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct CharacterParts {
    pub embedding: Slot,
    pub filter: Slot,
    pub bias: Slot,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct LstmParts {
    pub input: Slot,
    pub recurrent: Slot,
    pub bias: Slot,
}

/// A weight matrix and a bias.
#[derive(Clone, Copy, Debug)]
pub(super) struct DenseParts {
    pub weight: Slot,
    pub bias: Slot,
}

#[derive(Clone, Debug)]
pub(super) struct ArcParts {
    pub hidden: DenseParts,
    /// A, u, v and c of each channel.
    pub channels: Vec<[Slot; 4]>,
}

/// A hidden layer and an output layer.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClassifierParts {
    pub hidden: DenseParts,
    pub output: DenseParts,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PositionParts {
    /// W₁: encoding × (slots · hidden).
    pub weight: Slot,
    /// What stands for "no node" in each slot: slots × hidden.
    pub none: Slot,
    pub bias: Slot,
    pub output: DenseParts,
}

/// Arcs are rare: one of so many pairs, as a logarithm. Training need not learn that first.
const ARC_PRIOR: f32 = -3.0;

impl Parts {
    pub fn new(settings: &Settings, vocabulary: &Vocabulary) -> Self {
        let mut layout = Layout::default();
        let inputs = settings.inputs.iter().enumerate().map(|(i, input)| {
            let name = format!("input.{i}.{:?}", input.source).to_lowercase();
            layout.add(name, &[vocabulary.rows(settings, i), input.width], Initial::Normal(0.3))
        });
        let inputs = inputs.collect();
        let characters = settings.characters.map(|c| {
            let window = 2 * c.radius + 1;
            CharacterParts {
                embedding: layout.add("characters.embedding", &[c.buckets, c.width], Initial::Normal(0.3)),
                filter: layout.add(
                    "characters.filter",
                    &[c.width, window * c.output],
                    Initial::Normal(1.0 / ((window * c.width) as f32).sqrt()),
                ),
                bias: layout.add("characters.bias", &[c.output], Initial::Constant(0.0)),
            }
        });
        let mixes = settings.given.iter().enumerate().map(|(i, given)| {
            (given.layers > 1).then(|| {
                [
                    layout.add(format!("given.{i}.mix"), &[given.layers], Initial::Constant(0.0)),
                    layout.add(format!("given.{i}.scale"), &[1], Initial::Constant(1.0)),
                ]
            })
        });
        let mixes = mixes.collect();
        let differences = settings.given.iter().enumerate().map(|(i, given)| {
            let shape = [given.rows, given.width];
            (given.rows > 0)
                .then(|| layout.add(format!("given.{i}.difference"), &shape, Initial::Constant(0.0)))
        });
        let differences = differences.collect();
        let encoding = settings.encoding_width();
        let hidden = settings.encoder.hidden;
        let layers = (0..settings.encoder.layers).map(|layer| {
            let input = settings.layer_input(layer);
            ["forward", "backward"].map(|direction| LstmParts {
                input: layout.add(
                    format!("encoder.{layer}.{direction}.input"),
                    &[input, 4 * hidden],
                    Initial::Normal(1.0 / (input as f32).sqrt()),
                ),
                recurrent: layout.add(
                    format!("encoder.{layer}.{direction}.recurrent"),
                    &[hidden, 4 * hidden],
                    Initial::Normal(1.0 / (hidden as f32).sqrt()),
                ),
                bias: layout.add(format!("encoder.{layer}.{direction}.bias"), &[4 * hidden], Initial::Forget),
            })
        });
        let layers = layers.collect();
        let arcs = settings.arcs.map(|arcs| ArcParts {
            hidden: dense(&mut layout, "arcs.hidden", encoding, 2 * arcs.width * arcs.channels, 1.0),
            channels: (0..arcs.channels)
                .map(|channel| {
                    let mut add = |name: &str, shape: &[usize], initial| {
                        layout.add(format!("arcs.{channel}.{name}"), shape, initial)
                    };
                    [
                        add("bilinear", &[arcs.width; 2], Initial::Normal(0.3 / arcs.width as f32)),
                        add("head", &[arcs.width], Initial::Constant(0.0)),
                        add("dependent", &[arcs.width], Initial::Constant(0.0)),
                        add("constant", &[1], Initial::Constant(ARC_PRIOR)),
                    ]
                })
                .collect(),
        });
        let labels = settings.labels.map(|labels| ClassifierParts {
            hidden: dense(&mut layout, "labels.hidden", encoding, 2 * labels.width, 1.0),
            output: dense(&mut layout, "labels.output", 3 * labels.width, labels.count, 1.0),
        });
        let positions = settings.positions.iter().enumerate().map(|(i, p)| {
            let deviation = 1.0 / ((encoding * p.slots) as f32).sqrt();
            PositionParts {
                weight: layout.add(
                    format!("positions.{i}.weight"),
                    &[encoding, p.slots * p.hidden],
                    Initial::Normal(deviation),
                ),
                none: layout.add(format!("positions.{i}.none"), &[p.slots, p.hidden], Initial::Normal(0.1)),
                bias: layout.add(format!("positions.{i}.bias"), &[p.hidden], Initial::Constant(0.0)),
                output: dense(&mut layout, &format!("positions.{i}.output"), p.hidden, p.classes, 0.3),
            }
        });
        let positions = positions.collect();
        let tags = settings.tags.iter().enumerate().map(|(i, tags)| ClassifierParts {
            hidden: dense(&mut layout, &format!("tags.{i}.hidden"), encoding, tags.hidden, 1.0),
            output: dense(&mut layout, &format!("tags.{i}.output"), tags.hidden, tags.classes, 1.0),
        });
        let tags = tags.collect();
        let language = settings.language.map(|language| DenseParts {
            weight: layout.add("language.words", &[language.classes, hidden], Initial::Normal(0.1)),
            bias: layout.add("language.bias", &[language.classes], Initial::Constant(0.0)),
        });
        Parts {
            layout,
            inputs,
            characters,
            mixes,
            differences,
            layers,
            arcs,
            labels,
            positions,
            tags,
            language,
        }
    }
}

impl Parts {
    /// The matrices that rows are multiplied by, and how many columns they have.
    pub fn products(&self) -> Vec<(Slot, usize)> {
        let encoder = self.layers.iter().flatten().flat_map(|parts| {
            let columns = parts.bias.length();
            [(parts.input, columns), (parts.recurrent, columns)]
        });
        let classifiers = self.labels.iter().chain(&self.tags).flat_map(|head| [head.hidden, head.output]);
        let dense = self.arcs.iter().map(|arcs| arcs.hidden).chain(classifiers);
        let dense = dense.chain(self.positions.iter().map(|head| head.output));
        let dense = dense.map(|dense| (dense.weight, dense.bias.length()));
        let channels = self.arcs.iter().flat_map(|arcs| &arcs.channels);
        let bilinear = channels.map(|[bilinear, head, ..]| (*bilinear, head.length()));
        let positions = self.positions.iter().map(|head| (head.weight, head.none.length()));
        encoder.chain(dense).chain(bilinear).chain(positions).collect()
    }
}

fn dense(layout: &mut Layout, name: &str, input: usize, output: usize, factor: f32) -> DenseParts {
    let deviation = factor / (input as f32).sqrt();
    DenseParts {
        weight: layout.add(format!("{name}.weight"), &[input, output], Initial::Normal(deviation)),
        bias: layout.add(format!("{name}.bias"), &[output], Initial::Constant(0.0)),
    }
}
