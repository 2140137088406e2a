//! Three trees made consistent: certificates tell the truth about the best consistent trees, found by brute force.

mod common;

use common::Random;
use pleach_decode::merge::TREES;
use pleach_decode::merge::consistency::{Consistency, item, statement, tags};
use pleach_decode::merge::offers::{Offer, OfferTree};
use pleach_decode::relax::{Certificate, Item, Relaxation, Settings, Subproblem};

const NODES: usize = 4;

/// Statements are the unordered pairs of nodes.
fn pair(a: usize, b: usize) -> u32 {
    let (low, high) = (a.min(b), a.max(b));
    (low * NODES + high) as u32
}

fn statements() -> u32 {
    (NODES * NODES) as u32
}

/// A tree over all arcs: each says nothing, or its edge with any of the tree's tags.
fn tree(k: usize, random: &mut Random) -> OfferTree {
    let mut tree = OfferTree::default();
    let mut arcs = (0..NODES as u32).flat_map(|h| (1..NODES as u32).map(move |d| (h, d))).collect();
    tree.parts.arcs.reset(NODES, &mut arcs);
    tree.parts.reset();
    tree.set_offers(|arc, offers| {
        let (head, dependent) = arcs[arc];
        offers.push(Offer::nothing(random.score(3)));
        for tag in tags(k) {
            offers.push(Offer::one(random.score(5), item(pair(head as usize, dependent as usize), tag)));
        }
    });
    // Factors of second order too, so that the tree is more than its arcs.
    for arc in 0..tree.parts.arcs.len() {
        tree.parts.siblings_mut(arc).iter_mut().for_each(|score| *score = random.score(2));
        tree.parts.grandchildren_mut(arc).iter_mut().for_each(|score| *score = random.score(2));
    }
    tree
}

/// What the best tree scores that makes exactly these statements with these tags, for all such sets.
fn all_statements(tree: &mut OfferTree) -> Vec<(Vec<Item>, f64)> {
    let edges: Vec<u32> = (0..NODES).flat_map(|a| (a + 1..NODES).map(move |b| pair(a, b))).collect();
    let mut found = Vec::new();
    // 0 for no statement, else a tag plus one.
    for mut code in 0..5usize.pow(edges.len() as u32) {
        let mut wanted = Vec::new();
        for &edge in &edges {
            if code % 5 > 0 {
                wanted.push((edge, code % 5 - 1));
            }
            code /= 5;
        }
        if wanted.len() >= NODES {
            continue;
        }
        found.push(wanted);
    }
    let mut all = Vec::new();
    for wanted in found {
        let mut tags_of = Vec::new();
        for &(edge, number) in &wanted {
            // The tags that the tree can give are those among its offers.
            let offers = (0..tree.parts.arcs.len()).flat_map(|arc| tree.offers(arc).to_vec());
            let mut tags: Vec<u32> = offers
                .flat_map(|offer| offer.items())
                .filter(|&i| statement(i).0 == edge)
                .map(|i| statement(i).1)
                .collect();
            tags.sort_unstable();
            tags.dedup();
            tags_of.push(item(edge, tags[number]));
        }
        let mut changes = vec![-1e4; (statements() * 8) as usize];
        tags_of.iter().for_each(|&item| changes[item as usize] = 1e4);
        let mut chosen = Vec::new();
        let score = tree.maximise(&changes, &mut chosen);
        chosen.sort_unstable();
        tags_of.sort_unstable();
        if chosen == tags_of {
            all.push((chosen, score));
        }
    }
    all
}

fn makes(items: &[Item], about: u32) -> bool {
    items.iter().any(|&item| statement(item).0 == about)
}

/// Whether every tag of the first tree is true of the others.
fn consistent(trees: [&[Item]; TREES]) -> bool {
    trees.iter().all(|items| {
        items.iter().all(|&item| {
            let (about, tag) = statement(item);
            (0..TREES).all(|other| tag & 1 << other == 0 || makes(trees[other], about))
        })
    })
}

#[test]
fn consistency_equals_brute_force() {
    let mut random = Random(17);
    let settings = Settings { iterations: 400, tolerance: 0.02, ..Settings::default() };
    let (mut relaxation, mut proved) = (Relaxation::default(), 0);
    let rounds = 6;
    for _ in 0..rounds {
        let mut trees = [0, 1, 2].map(|k| tree(k, &mut random));
        let mut subproblems: Vec<&mut dyn Subproblem> =
            trees.iter_mut().map(|tree| tree as &mut dyn Subproblem).collect();
        let mut consistency = Consistency { statements: statements() };
        let outcome = relaxation.solve(&mut subproblems, &mut consistency, &settings, None);
        let solution: Vec<Vec<Item>> = (0..TREES).map(|k| relaxation.solution(k).to_vec()).collect();
        assert_eq!(consistent([&solution[0], &solution[1], &solution[2]]), outcome.certificate.is_feasible());
        // Only trees that could still beat the best so far are paired up.
        let mut all = trees.each_mut().map(all_statements);
        all.iter_mut().for_each(|all| all.sort_by(|a, b| b.1.total_cmp(&a.1)));
        let mut best = f64::NEG_INFINITY;
        for (a, a_score) in &all[0] {
            for (b, b_score) in &all[1] {
                if a_score + b_score + all[2][0].1 <= best {
                    break;
                }
                for (c, c_score) in &all[2] {
                    let score = a_score + b_score + c_score;
                    if score <= best {
                        break;
                    }
                    if consistent([a, b, c]) {
                        best = score;
                    }
                }
            }
        }
        assert!(outcome.bound >= best - 0.05);
        match outcome.certificate {
            Certificate::Optimal => {
                proved += 1;
                assert!((outcome.value - best).abs() < 0.05, "{} is not {best}", outcome.value);
            }
            Certificate::Within(gap) => {
                assert!(outcome.value <= best + 0.05 && best <= outcome.value + gap + 0.05)
            }
            Certificate::Agreed | Certificate::Disagreed => {}
        }
    }
    assert!(proved > 0);
}

/// What a tree stood for once, it stands for again when it is recalled, whatever was decoded in between.
#[test]
fn trees_are_recalled_by_what_they_say() {
    let mut random = Random(77);
    let items = (statements() * 8) as usize;
    let mut memory = Vec::new();
    for _ in 0..200 {
        let mut tree = tree(0, &mut random);
        let changes: Vec<f64> = (0..items).map(|_| f64::from(random.score(9))).collect();
        let (mut chosen, mut other) = (Vec::new(), Vec::new());
        tree.maximise(&changes, &mut chosen);
        chosen.sort_unstable();
        // The last tree is recalled as it is.
        let heads = tree.heads().to_vec();
        tree.recall(&chosen, items, &mut memory);
        assert_eq!(tree.heads(), heads);
        tree.maximise(&vec![0.0; items], &mut other);
        tree.recall(&chosen, items, &mut memory);
        let mut said: Vec<Item> =
            tree.taken().flat_map(|(arc, offer)| tree.offers(arc)[offer].items()).collect();
        said.sort_unstable();
        assert_eq!(said, chosen);
        for word in 1..NODES {
            let head = tree.heads()[word] as usize;
            let about = pair(head, word);
            assert_eq!(tree.says_nothing(head, word), !said.iter().any(|&item| statement(item).0 == about));
        }
    }
}

/// Without factors of second order a tree is decoded by Eisner's algorithm: the same scores as with factors of zero.
#[test]
fn arcs_alone_are_decoded_alike() {
    let mut random = Random(23);
    let items = (NODES * NODES) as u32;
    for round in 0..200 {
        let mut arcs: Vec<(u32, u32)> =
            (0..NODES as u32).flat_map(|h| (1..NODES as u32).map(move |d| (h, d))).collect();
        arcs.retain(|_| round % 2 == 0 || random.below(3) > 0);
        let offers: Vec<Offer> =
            arcs.iter().map(|_| Offer::one(random.score(9), random.below(items))).collect();
        let changes: Vec<f64> = (0..items).map(|_| f64::from(random.score(4))).collect();
        let [plain, factored] = [false, true].map(|second| {
            let mut tree = OfferTree::default();
            tree.parts.arcs.reset(NODES, &mut arcs.clone());
            if second {
                tree.parts.reset()
            } else {
                tree.parts.reset_first_order()
            }
            let of = |arc: usize| (tree.parts.arcs.head(arc) as u32, tree.parts.arcs.dependent(arc) as u32);
            let place: Vec<usize> = (0..tree.parts.arcs.len())
                .filter_map(|arc| arcs.iter().position(|&pair| pair == of(arc)))
                .collect();
            tree.set_offers(|arc, out| out.push(offers[place[arc]]));
            let mut chosen = Vec::new();
            let score = tree.maximise(&changes, &mut chosen);
            score + chosen.iter().map(|&item| changes[item as usize]).sum::<f64>()
        });
        assert_eq!(plain, factored);
    }
}

/// Other offers of the same arcs are decoded as if they were the first ones.
#[test]
fn changed_offers_are_decoded_anew() {
    let mut random = Random(78);
    let items = (statements() * 8) as usize;
    for _ in 0..100 {
        let mut tree = tree(0, &mut random);
        tree.maximise(&vec![0.0; items], &mut Vec::new());
        let left: Vec<Vec<Offer>> = (0..tree.parts.arcs.len())
            .map(|arc| tree.offers(arc).iter().copied().skip(usize::from(random.below(2) == 0)).collect())
            .map(|offers: Vec<Offer>| if offers.is_empty() { vec![Offer::nothing(1.0)] } else { offers })
            .collect();
        let mut fresh = tree.clone();
        fresh.set_offers(|arc, out| out.extend_from_slice(&left[arc]));
        tree.change_offers(|arc, out| out.extend_from_slice(&left[arc]));
        let changes: Vec<f64> = (0..items).map(|_| f64::from(random.score(9))).collect();
        let (mut chosen, mut wanted) = (Vec::new(), Vec::new());
        assert_eq!(tree.maximise(&changes, &mut chosen), fresh.maximise(&changes, &mut wanted));
        assert_eq!((tree.heads(), chosen), (fresh.heads(), wanted));
    }
}
