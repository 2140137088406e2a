//! What is told of actions and parts is what weights learn, and what a model file has is what was written.

use super::*;
use crate::scorer::{ActionShape, Made, PartShape};
use pleach_decode::part::PartLearner;
use pleach_graph::Sentence;
use pleach_neural::network::Dropout;
use pleach_transition::scorer::{Learn, Question};
use pleach_transition::state::State;

const MADE: [Made; 6] = [
    Made { class: 0, left: 0, right: 0 },
    Made { class: 1, left: 1, right: 0 },
    Made { class: 1, left: 2, right: 0 },
    Made { class: 2, left: 0, right: 1 },
    Made { class: 2, left: 0, right: 2 },
    Made { class: 3, left: 2, right: 1 },
];

/// By how much weights are moved to see what that does.
const STEP: f32 = 1.0 / 128.0;

fn keys(pairs: bool) -> BilstmKeys {
    BilstmKeys {
        inputs: "form:3".into(),
        at_least: 1,
        characters: 0,
        layers: 1,
        hidden: 3,
        arc_width: 3,
        label_width: 2,
        positions: "s0 b0 s1".into(),
        position_width: 3,
        pairs,
        ..BilstmKeys::default()
    }
}

fn structure() -> Structure {
    let actions = ActionShape {
        count: MADE.len(),
        sites: false,
        templates: Vec::new(),
        label_templates: None,
        made: MADE.to_vec(),
    };
    Structure { actions: Some(actions), parts: Vec::new() }
}

fn words() -> [Words; 2] {
    [&["a", "b"][..], &["b", "c", "a", "d"]]
        .map(|forms| Words::of(&Sentence::from_forms(forms.iter().copied()), None, false))
}

/// Configurations with and without a top of the stack.
fn states() -> [State; 3] {
    let lists: [(&[u16], &[u16]); 3] = [(&[1, 2], &[4, 3]), (&[0], &[4, 3, 2]), (&[], &[4])];
    lists.map(|(stack, buffer)| {
        let mut state = State::default();
        state.reset(4);
        (state.stack, state.buffer) = (stack.into(), buffer.into());
        state
    })
}

/// What each action counts at a configuration.
fn factor(state: usize, action: usize) -> f32 {
    [0.5, -1.0, 0.25, 1.0, -0.5, 0.75][(state + action) % 6]
}

/// The sum of all actions at all configurations of the second sentence, each times its factor.
fn total(network: &Network<'_>, shape: &Shape) -> f64 {
    let words = words();
    let mut memory = Memory::default();
    let batch = read(network, &Given::default(), &[&words[0], &words[1]], &mut memory).unwrap();
    let pass = Pass::new(network, &batch, &mut memory);
    let mut reader = Reader { pass, shape, answers: Answers::default(), sentence: 1 };
    let mut sum = 0.0;
    for (number, state) in states().iter().enumerate() {
        let mut row = [0.0; MADE.len()];
        reader.answer(&Question { sentence: 1, ..Question::state(state) }, &mut row);
        let scores = row.iter().enumerate().map(|(action, &score)| score * factor(number, action));
        sum += scores.map(f64::from).sum::<f64>();
    }
    sum
}

#[test]
fn changes_of_actions_are_gradients_of_weights() {
    for pairs in [true, false] {
        let (keys, structure, words) = (keys(pairs), structure(), words());
        let settings = keys.network(&structure).unwrap();
        assert_eq!(
            (settings.arcs.is_some(), settings.positions[0].classes),
            (pairs, if pairs { 4 } else { 6 })
        );
        let shape = shape(&structure, &settings, &keys.positions, pairs).unwrap();
        let vocabulary = Vocabulary::of_words(&settings, &mut words.iter());
        let network = Network::new(settings.clone(), vocabulary.clone(), 3).unwrap();
        let batch =
            read(&network, &Given::default(), &[&words[0], &words[1]], &mut Memory::default()).unwrap();
        let (mut memory, mut gradient) = (Memory::default(), vec![0.0; network.weights().len()]);
        let dropout = Dropout { inputs: 0.0, words: 0.0, layers: 0.0, heads: 0.0 };
        let mut pass = Pass::training(&network, &batch, &mut memory, dropout, 1, &mut gradient);
        let mut lesson = Lesson::new(&shape, &mut pass, 1.0, settings.positions[0].classes);
        lesson.turn_to(1);
        for (number, state) in states().iter().enumerate() {
            let mut row = [0.0; MADE.len()];
            lesson.answer(&Question::state(state), &mut row);
            for action in 0..MADE.len() {
                lesson.change_action(Question::state(state), action as u32, -factor(number, action));
            }
        }
        lesson.finish().unwrap();
        pass.backward();
        assert_gradient(&network, &gradient, |network| total(network, &shape));
    }
}

/// The gradient that was told is that of a sum of scores, by differences.
fn assert_gradient(network: &Network<'_>, gradient: &[f32], total: impl Fn(&Network<'_>) -> f64) {
    let (settings, vocabulary) = (network.settings(), network.vocabulary());
    let at = |place: usize, change: f32| {
        let mut weights = network.weights().to_vec();
        weights[place] += change;
        total(&Network::with_weights(settings.clone(), vocabulary.clone(), Cow::Owned(weights)).unwrap())
    };
    let (here, mut moved) = (total(network), 0);
    for (place, &told) in gradient.iter().enumerate() {
        // Where a rectifier bends, one of the two sides is right.
        let (above, below) = (at(place, STEP) - here, here - at(place, -STEP));
        let slopes = [above + below, 2.0 * above, 2.0 * below].map(|slope| slope / 2.0 / f64::from(STEP));
        let near = |slope: &f64| (slope - f64::from(told)).abs() < 1e-2 * (1.0 + slope.abs());
        assert!(slopes.iter().any(near), "{place}: {slopes:?} {told}");
        moved += usize::from(told != 0.0);
    }
    assert!(moved > gradient.len() / 2);
}

/// Parts of three and four words, edges among them, beside arcs.
#[test]
fn changes_of_parts_of_higher_order_are_gradients_of_weights() {
    let (three, four) = (Kind(2), Kind(3));
    let shapes = [(Kind::ARC, 1), (three, 2), (four, 1)];
    let parts = shapes.map(|(kind, choices)| PartShape::new(kind, choices, 0, "")).to_vec();
    let (keys, structure, words) = (keys(false), Structure { actions: None, parts }, words());
    let settings = keys.network(&structure).unwrap();
    let shape = shape(&structure, &settings, &keys.positions, false).unwrap();
    let vocabulary = Vocabulary::of_words(&settings, &mut words.iter());
    let network = Network::new(settings, vocabulary, 3).unwrap();
    let asked = [
        (Part::three(three, 2, 1, 4), 1, 0.5),
        (Part::three(three, 2, 1, 4), 0, -1.0),
        (Part::three(three, 1, pleach_graph::node::RIGHT_EDGE, 3), 1, 0.75),
        (Part::four(four, [3, 1, pleach_graph::node::LEFT_EDGE, 4]), 0, 1.0),
        (Part::arc(1, 2), 0, 0.5),
    ];
    let total = |network: &Network<'_>| {
        let mut memory = Memory::default();
        let batch = read(network, &Given::default(), &[&words[0], &words[1]], &mut memory).unwrap();
        let pass = Pass::new(network, &batch, &mut memory);
        let mut reader = Reader { pass, shape: &shape, answers: Answers::default(), sentence: 1 };
        let score = |&(part, choice, factor): &(Part, u16, f32)| {
            let mut row = [0.0; 2];
            reader.score(part, &mut row);
            f64::from(row[usize::from(choice)] * factor)
        };
        asked.iter().map(score).sum()
    };
    let batch = read(&network, &Given::default(), &[&words[0], &words[1]], &mut Memory::default()).unwrap();
    let (mut memory, mut gradient) = (Memory::default(), vec![0.0; network.weights().len()]);
    let dropout = Dropout { inputs: 0.0, words: 0.0, layers: 0.0, heads: 0.0 };
    let mut pass = Pass::training(&network, &batch, &mut memory, dropout, 1, &mut gradient);
    let mut lesson = Lesson::new(&shape, &mut pass, 1.0, 0);
    lesson.turn_to(1);
    for (part, choice, factor) in asked {
        let mut row = [0.0; 2];
        lesson.score(part, &mut row);
        lesson.change_part(part, choice, -factor);
    }
    lesson.finish().unwrap();
    pass.backward();
    assert_gradient(&network, &gradient, total);
}

/// Weights are named tensors, as exact as was wished, and files of one tensor still open.
#[test]
fn networks_come_back_from_sections() {
    let parts = vec![PartShape::new(Kind::ARC, 1, 0, ""), PartShape::new(Kind::LABEL, 3, 0, "")];
    let structure = Structure { actions: None, parts };
    let words = words();
    let mut sizes = Vec::new();
    for precision in [Precision::F32, Precision::F16, Precision::Int8] {
        let keys = BilstmKeys { hidden: 20, arc_width: 40, precision, ..keys(false) };
        let settings = keys.network(&structure).unwrap();
        let vocabulary = Vocabulary::of_words(&settings, &mut words.iter());
        let network = Network::new(settings.clone(), vocabulary, 3).unwrap();
        let tensors = network.to_tensors(precision);
        assert!(tensors.iter().any(|tensor| tensor.name == "encoder.0.forward.input"));
        let section = |tensors| {
            let card = json!(Card {
                name: BILSTM.name().to_owned(),
                positions: String::new(),
                pairs: false,
                network: settings.clone(),
                given: Cards::default(),
            });
            let group = pleach_model::Section::group("test", Value::Null, Vec::new());
            pleach_model::Section { scorer: card, tensors, ..group }
        };
        let whole = network.to_bytes(precision);
        let whole = vec![Tensor::of("network", Dtype::U8, vec![whole.len()], &whole)];
        let mut scores = Vec::new();
        for tensors in [stored::tensors(&tensors), whole] {
            let bytes = pleach_model::Model::to_bytes(&section(tensors)).unwrap();
            let model = pleach_model::Model::from_bytes("test", &bytes).unwrap();
            let scorer = BILSTM.open(model.root(), &structure).unwrap();
            let mut workspace = Workspace::default();
            let mut bound = scorer.bind(vec![&words[1]], &mut workspace);
            let mut row = [0.0; 3];
            bound.score(Part::label(2, 1), &mut row);
            scores.push(row);
            sizes.push(bytes.len());
        }
        assert_eq!(scores[0], scores[1]);
        assert!(scores[0].iter().any(|&score| score != 0.0));
    }
    assert!(sizes[0] > sizes[2] && sizes[2] > sizes[4], "{sizes:?}");
}
