use std::ops::ControlFlow;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let recipe = pleach::recipe::Recipe::parse("args", &args[4..].join("\n")).unwrap();
    let read = |p: &str| pleach::formats::read_file(std::path::Path::new(p)).unwrap();
    let t = pleach::train::Training {
        recipe,
        train: read(&args[1]),
        dev: read(&args[2]),
        names: Default::default(),
        fresh: true,
    };
    let start = std::time::Instant::now();
    t.run(std::path::Path::new(&args[3]), &mut |e| {
        match e {
            pleach::train::Event::Step { .. } => {}
            e => println!("{:.1}s {e:?}", start.elapsed().as_secs_f64()),
        }
        ControlFlow::Continue(())
    })
    .unwrap();
}
