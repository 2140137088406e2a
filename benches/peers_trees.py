#!/usr/bin/env python3
"""Tree parsers of others beside ours, in one run: UDPipe 1 (ufal.udpipe) and spaCy, words per CPU second and LAS.

Usage: benches/peers_trees.py TRAIN.conllu TEST.conllu NAME=MODEL.pleach ... [--rounds 3] [--udpipe-iterations 1] [--spacy-steps 60]
                              [--spacy-words 2000] [--pleach target/release/pleach]

    pip install ufal.udpipe spacy
    benches/peers_trees.py train.conllu dev.conllu eisner2=e2.pleach control-fast=fast.pleach

UDPipe and spaCy are trained here, on TRAIN and as briefly as the options say: their speed hardly depends on how well they were trained, their accuracy does,
so take no accuracy from a brief run. UDPipe gets gold tokens and tags, as we do; spaCy gets gold tokens and looks at words only. All run on one
thread and take turns, a round each; a speed is the median of its rounds, in CPU time of the process, reading and writing
left out. Those that are not installed are left out, and it says so.
"""
import argparse, json, os, statistics, subprocess, sys, time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")


def blocks(path):
    with open(path, encoding="utf-8") as file:
        return [block for block in file.read().split("\n\n") if block.strip()]


def words(block):
    """The columns of a sentence's words, without ranges and empty nodes."""
    rows = [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
    return [row for row in rows if row[0].isdigit()]


def las(gold, found):
    """The share of words with the right head and the right label."""
    right = sum(wanted == given for tree, other in zip(gold, found) for wanted, given in zip(tree, other))
    return 100 * right / max(1, sum(map(len, gold)))


class UDPipe:
    def __init__(self, train, options):
        from ufal.udpipe import Model, ProcessingError, Sentence, InputFormat, Trainer

        def read(path):
            reader, sentences = InputFormat.newConlluInputFormat(), []
            with open(path, encoding="utf-8") as file:
                reader.setText(file.read())
            error = ProcessingError()
            while True:
                sentence = Sentence()
                if not reader.nextSentence(sentence, error):
                    return sentences
                sentences.append(sentence)

        self.read, self.error = read, ProcessingError()
        parser = f"iterations={options.udpipe_iterations};use_gold_tags=1"
        model = Trainer.train("morphodita_parsito", read(train), [], "none", "none", parser, self.error)
        if self.error.occurred():
            raise RuntimeError(self.error.message)
        path = options.test + ".udpipe"
        with open(path, "wb") as file:
            file.write(model)
        self.model = Model.load(path)
        os.remove(path)

    def parse(self, path, beam):
        sentences = self.read(path)
        for sentence in sentences:
            for word in list(sentence.words)[1:]:
                word.head, word.deprel = -1, ""
        began = time.process_time()
        for sentence in sentences:
            self.model.parse(sentence, f"beam_search={beam}", self.error)
        took = time.process_time() - began
        return took, [[(word.head, word.deprel) for word in list(sentence.words)[1:]] for sentence in sentences]


class SpaCy:
    def __init__(self, train, options):
        import spacy
        from spacy.tokens import Doc
        from spacy.training import Example

        self.nlp, self.make = spacy.blank("en"), Doc
        self.nlp.add_pipe("parser")

        def example(rows):
            forms = [row[1] for row in rows]
            heads = [place if row[6] == "0" else int(row[6]) - 1 for place, row in enumerate(rows)]
            doc = self.doc(rows)
            return Example.from_dict(doc, {"words": forms, "heads": heads, "deps": [row[7] for row in rows]})

        self.doc = lambda rows: Doc(self.nlp.vocab, words=[row[1] for row in rows])
        examples = [example(rows) for rows in map(words, blocks(train)) if len(rows) > 1]
        optimizer = self.nlp.initialize(lambda: examples[:500])
        place = 0
        for _ in range(options.spacy_steps):
            batch, count = [], 0
            while count < options.spacy_words:
                batch.append(examples[place % len(examples)])
                count += len(batch[-1].reference)
                place += 1
            self.nlp.update(batch, sgd=optimizer)

    def parse(self, path, _):
        docs = [self.doc(rows) for rows in map(words, blocks(path))]
        began = time.process_time()
        docs = list(self.nlp.pipe(docs, batch_size=64))
        took = time.process_time() - began
        head = lambda token: 0 if token.head.i == token.i else token.head.i + 1
        return took, [[(head(token), "root" if head(token) == 0 else token.dep_) for token in doc] for doc in docs]


def ours(pleach, treebank, model):
    command = [pleach, "bench", "-m", model, treebank, "--rounds", "1", "--threads", "1", "--json"]
    beam = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["beams"][0]
    return beam["tokens_per_cpu_second"], beam["scores"]["LAS"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("models", nargs="*", metavar="NAME=MODEL")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--udpipe-iterations", type=int, default=1)
    parser.add_argument("--spacy-steps", type=int, default=60)
    parser.add_argument("--spacy-words", type=int, default=2000)
    parser.add_argument("--pleach", default="target/release/pleach")
    options = parser.parse_args()
    gold = [[(int(row[6]), row[7]) for row in words(block)] for block in blocks(options.test)]
    count = sum(map(len, gold))
    systems = {}
    for name, make, beams in [("UDPipe 1", UDPipe, (1, 5)), ("spaCy", SpaCy, (None,))]:
        try:
            system = make(options.train, options)
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
            continue
        for beam in beams:
            systems[name if beam is None else f"{name}, beam {beam}"] = (system, beam)
    speeds, scores = {}, {}
    for _ in range(options.rounds):
        for name, (system, beam) in systems.items():
            took, trees = system.parse(options.test, beam)
            speeds.setdefault(name, []).append(count / took)
            scores[name] = las(gold, trees)
        for model in options.models:
            name, _, path = model.partition("=")
            speed, scores[name] = ours(options.pleach, options.test, path)
            speeds.setdefault(name, []).append(speed)
    print("| parser | LAS | words/CPU s | lowest to highest |\n| --- | ---: | ---: | ---: |")
    for name, found in speeds.items():
        middle = statistics.median(found)
        print(f"| {name} | {scores[name]:.2f} | {middle:,.0f} | {min(found):,.0f} to {max(found):,.0f} |")


if __name__ == "__main__":
    main()
