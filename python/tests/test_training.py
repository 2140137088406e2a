"""Training, resuming, voting and measuring with models that are trained here."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pleach
import pytest

RECIPE = {"epochs": 2, "beam": 2, "seed": 1}


@pytest.fixture(scope="module")
def model(treebank, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "one.pleach"
    events = []
    trained = pleach.train(
        "s2s-combined", train=treebank, dev=treebank[:20], output=path, callback=events.append, threads=1, **RECIPE
    )
    kinds = [event["event"] for event in events]
    assert "prepared" in kinds and kinds.count("epoch") == 2 and "step" in kinds
    assert not trained.stopped and trained.epoch in (1, 2) and trained.scores["LF"] > 50
    return trained


def test_a_trained_model_parses(model, treebank):
    nlp = model.load(beam=1)
    assert nlp.gives_graphs and not nlp.reads_text
    parsed = nlp(treebank)
    assert pleach.evaluate(treebank, parsed, metric="sdp").LF > 0.5
    with pytest.raises(pleach.ModelError, match="no tokenizer") as caught:
        nlp("A text.")
    assert "pipeline" in caught.value.help
    with pytest.raises(pleach.ModelError, match="no tokenizer"):
        list(nlp.pipe(["A text."]))


def test_stopped_training_goes_on_to_the_same_model(model, treebank, tmp_path):
    path = tmp_path / "two.pleach"
    how = dict(train=treebank, dev=treebank[:20], output=path, threads=1, **RECIPE)
    stopped = pleach.train("s2s-combined", callback=lambda event: event["event"] != "epoch", **how)
    assert stopped.stopped and not path.exists()

    def broken(event):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        pleach.train("s2s-combined", callback=broken, **how)
    events = []
    done = pleach.train("s2s-combined", callback=events.append, **how)
    assert not done.stopped and "resumed" in [event["event"] for event in events]
    one, two = pleach.load(model.path), done.load()
    assert one(treebank) == two(treebank)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_stops_and_can_be_resumed(treebank, tmp_path):
    data = tmp_path / "train.conllu"
    pleach.write(pleach.Document([sentence for _ in range(40) for sentence in treebank]), data)
    script = (
        "import pleach, sys\n"
        "try:\n"
        f"    pleach.train('s2s-combined', train={str(data)!r}, output={str(tmp_path / 'm.pleach')!r}, epochs=50,\n"
        "        progress=False, threads=1, callback=lambda event: print(event['event'], flush=True))\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
        "    sys.exit(7)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    for line in child.stdout:
        if line.strip() == "step":
            break
    child.send_signal(signal.SIGINT)
    rest = child.stdout.read()
    assert child.wait(timeout=120) == 7 and rest.splitlines()[-1] == "interrupted"
    assert any(path.name.startswith("m.pleach") for path in tmp_path.iterdir()), "a checkpoint is there"


def test_voting_and_measuring(model, treebank, tmp_path):
    voted = pleach.vote([model.path, model.path], tmp_path / "both.pleach")
    assert voted(treebank) == pleach.load(model.path)(treebank)
    parsed = pleach.load(model.path)(treebank)
    assert pleach.vote([parsed, parsed, treebank])[0].graph == parsed[0].graph
    (pair,) = pleach.lab.diversity({"gold": treebank, "system": parsed})
    assert 0.5 < pair["labelled"] <= 1
    measured = pleach.bench(model.path, treebank[:10], rounds=1, beams=[1, 2])
    assert measured["sentences"] == 10 and [beam["beam"] for beam in measured["beams"]] == [1, 2]
    assert measured["beams"][0]["tokens_per_second"] > 0


def test_recipes_that_make_no_sense(treebank, tmp_path):
    out = tmp_path / "x.pleach"
    with pytest.raises(pleach.RecipeError, match="did you mean 's2s-combined'"):
        pleach.train("s2s-combine", train=treebank, output=out)
    with pytest.raises(pleach.RecipeError, match="'beem'"):
        pleach.train("s2s-combined", train=treebank, output=out, beem=3)
    with pytest.raises(ValueError, match="epochs"):
        pleach.train("s2s-combined", train=treebank, output=out, epochs=-1)
    with pytest.raises(TypeError, match="a setting is a number"):
        pleach.train("s2s-combined", train=treebank, output=out, epochs=object())
    with pytest.raises(pleach.Error):
        pleach.train("s2s-combined", train=treebank, output=tmp_path / "none" / "x.pleach", epochs=1)
