"""Bad use gets a clear answer: an exception of the right kind, with a message that says what to do."""

from __future__ import annotations

import pickle

import pleach
import pytest


def test_no_model(tmp_path):
    with pytest.raises(pleach.MissingModel, match="no model 'nonsense'") as caught:
        pleach.load("nonsense")
    assert "pleach.models()" in caught.value.help and isinstance(caught.value, FileNotFoundError)
    with pytest.raises(pleach.MissingModel) as caught:
        pleach.load(tmp_path / "none.pleach")
    assert caught.value.path == str(tmp_path / "none.pleach")
    with pytest.raises(TypeError, match="a path or a name, not int"):
        pleach.load(3)


def test_a_file_that_is_no_model(tmp_path):
    path = tmp_path / "x.pleach"
    path.write_text("not a model")
    with pytest.raises(pleach.ModelError, match="not a usable Pleach model") as caught:
        pleach.load(path)
    assert caught.value.path == str(path) and "copied whole" in caught.value.help


def test_a_model_of_another_version(tmp_path, treebank):
    path = tmp_path / "x.pleach"
    pleach.train("s2s-combined", train=treebank[:4], output=path, epochs=1, beam=1, progress=False)
    data = path.read_bytes()
    # The header is JSON in JSON; the layout's version is its first number.
    found = [(before, b'\\"version\\":9') for before in (b'\\"version\\":3', b'\\"version\\":2') if before in data]
    assert found, "the header says its version"
    path.write_bytes(data.replace(*found[0], 1))
    with pytest.raises(pleach.ModelError, match="version 9, this Pleach reads versions") as caught:
        pleach.load(path)
    assert "train the model anew" in caught.value.help and caught.value.path == str(path)


@pytest.mark.parametrize("wrong", [None, 3, b"bytes", {"text": "x"}, object()])
def test_wrong_types(nlp, wrong):
    with pytest.raises(TypeError, match="expected a text"):
        nlp(wrong)


def test_a_list_of_strings_is_ambiguous(nlp):
    with pytest.raises(TypeError, match="nlp.pipe"):
        nlp(["A text.", "Another."])
    with pytest.raises(TypeError, match="expected several texts, not one str"):
        nlp.pipe("A text.")
    with pytest.raises(TypeError):
        nlp.pipe(3)


def test_a_none_in_a_batch(nlp):
    pipe = nlp.pipe(["One.", "Two.", None, "Three."])
    assert [next(pipe)[0][0].form for _ in range(2)] == ["One", "Two"]
    with pytest.raises(TypeError, match="text 2: expected a text .* not None; leave missing values out"):
        next(pipe)
    with pytest.raises(StopIteration):
        next(pipe)
    kept = list(nlp.pipe(["One.", None, 3, "Three."], on_error="return"))
    assert [type(item) for item in kept] == [pleach.Document, TypeError, TypeError, pleach.Document]
    tuples = list(nlp.pipe([("One.", 1), (None, 2)], as_tuples=True, on_error="return"))
    assert tuples[1][1] == 2 and isinstance(tuples[1][0], TypeError)
    with pytest.raises(TypeError, match="expected \\(text, context\\)"):
        list(nlp.pipe(["no pair"], as_tuples=True))


def test_a_text_of_100_megabytes(nlp):
    text = "It rains. " * 10_000_000
    with pytest.raises(pleach.TextTooLong, match="100000000 characters, more than max_length = 10000000") as caught:
        nlp(text)
    assert "nlp.stream" in caught.value.help and isinstance(caught.value, ValueError)
    good, bad = nlp.pipe(["It rains.", text], on_error="return")
    assert len(good) == 1 and isinstance(bad, pleach.TextTooLong) and str(bad).startswith("text 1: ")


def test_the_longest_text_can_be_chosen():
    nlp = pleach.load(max_length=10)
    with pytest.raises(pleach.TextTooLong):
        nlp("It rains in Spain.")
    nlp.max_length = 100
    assert len(nlp("It rains in Spain.")) == 1
    # Characters count, not bytes.
    nlp.max_length = 4
    assert len(nlp("日本語。")) >= 1


def test_options_that_make_no_sense(nlp):
    for wrong in (dict(beam=0), dict(beam=10**6), dict(tags="x"), dict(ensure="happy")):
        with pytest.raises(ValueError):
            pleach.load(**wrong)
    with pytest.raises(pleach.RecipeError):
        pleach.load(settings={"nonsense": 1})
    for wrong in (dict(batch_size=0), dict(threads=10**6), dict(on_error="x")):
        with pytest.raises(ValueError):
            nlp.pipe(["x"], **wrong)
    with pytest.raises(OverflowError):
        nlp.pipe(["x"], threads=-1)
    with pytest.raises(TypeError):
        nlp.pipe(["x"], thread=1)


def test_words_that_are_none(nlp):
    for wrong in ([[""]], [["a\tb"]], [["a\nb"]], [[]], [[("a", "b", "c", "d")]], [[{"from": "x"}]]):
        with pytest.raises(ValueError):
            nlp(wrong)
    for wrong in ([[3]], [[None]], [[("a", 3)]], [3]):
        with pytest.raises(TypeError):
            nlp(wrong)


def test_strings_that_are_no_unicode(nlp):
    with pytest.raises(UnicodeEncodeError):
        nlp("a lone \ud800 surrogate")


def test_files(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        pleach.read(tmp_path / "none.conllu")
    assert isinstance(caught.value, pleach.MissingFile) and caught.value.path.endswith("none.conllu")
    unknown = tmp_path / "x"
    unknown.write_text("what is this")
    with pytest.raises(pleach.ReadError) as caught:
        pleach.read(unknown)
    assert "name the format" in caught.value.help
    with pytest.raises(ValueError, match="nonsense"):
        pleach.read(unknown, "nonsense")
    with pytest.raises(TypeError, match="a path or a file object, not int"):
        pleach.read(3)
    with pytest.raises(pleach.WriteError, match="does not say which format"):
        import io

        pleach.write(pleach.Sentence(["a"]), io.StringIO())
    with pytest.raises(pleach.WriteError) as caught:
        pleach.write(pleach.Sentence(["a"]), tmp_path / "x.nonsense")
    assert "format=" in caught.value.help
    with pytest.raises(TypeError, match="expected a Document or sentences, not str"):
        pleach.write("text", tmp_path / "x.conllu")


def test_no_panic_crosses_the_border():
    with pytest.raises(pleach.InternalError, match="internal error: boom") as caught:
        pleach._native._check_border("boom")
    assert "report it" in caught.value.help and isinstance(caught.value, Exception)


def test_errors_can_be_pickled():
    with pytest.raises(pleach.Error) as caught:
        pleach.load("nonsense")
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is pleach.MissingModel and again.help == caught.value.help and str(again) == str(caught.value)
