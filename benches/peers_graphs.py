#!/usr/bin/env python3
"""A graph parser of others beside ours, in one run: the biaffine parser of supar (PyTorch) and models of ours, LF, UF and words per CPU second.

Usage: benches/peers_graphs.py TRAIN.conllu TEST.conllu NAME=MODEL.pleach|NAME=PRESET ... [--epochs 12] [--limit N] [--rounds 3] [--supar supar.model]
                               [--pleach target/release/pleach]

    pip install supar==1.1.4
    benches/peers_graphs.py train.conllu dev.conllu biaffine=biaffine --epochs 12

Both sides are trained here, on TRAIN (its first N sentences) for the same number of epochs, with the best epoch chosen on TEST; a model that is there already is
taken as it is (NAME=MODEL.pleach, --supar). Both see gold words and tags; ours sees features and characters, too, supar characters. Sizes are alike: two layers
of 200 in each direction, arcs of 256, labels of 100 (supar's own default, three layers of 600, takes about nine times as long). All run on one thread and take turns,
a round each; a speed is the median of its rounds, in CPU time of the process, reading and writing left out. LF and UF count all arcs of the
enhanced graphs with their labels, those from the root too; sentences with empty nodes are left out on both sides, since supar has none.
"""
import argparse, functools, json, os, statistics, subprocess, sys, tempfile, time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")


def sentences(path, limit=None):
    """The rows of words of each sentence that has no empty nodes."""
    found = []
    with open(path, encoding="utf-8") as file:
        for block in file.read().split("\n\n"):
            rows = [line.split("\t") for line in block.split("\n") if line and not line.startswith("#")]
            if rows and not any("." in row[0] for row in rows):
                found.append([row for row in rows if row[0].isdigit()])
            if len(found) == limit:
                break
    return found


def write(path, trees):
    with open(path, "w", encoding="utf-8") as file:
        for rows in trees:
            file.write("".join("\t".join(row) + "\n" for row in rows) + "\n")


def arcs(column):
    return {tuple(arc.split(":", 1)) for arc in column.split("|") if arc not in ("", "_")}


def scores(gold, found):
    """Labelled and unlabelled F of two lists of sentences, which are lists of columns of arcs."""
    counts = [[0, 0, 0], [0, 0, 0]]
    for wanted, given in zip(gold, found, strict=True):
        for one, other in zip(wanted, given, strict=True):
            pair = arcs(one), arcs(other)
            for count, (a, b) in zip(counts, [pair, tuple({arc[0] for arc in side} for side in pair)]):
                for place, value in enumerate((len(a & b), len(a), len(b))):
                    count[place] += value
    return [200 * right / max(1, gold + found) for right, gold, found in counts]


class Supar:
    def __init__(self, folder, train, test, options):
        import torch
        from supar import BiaffineSemanticDependencyParser as Parser

        # Its models are pickles, which PyTorch no longer opens unless it is told to.
        torch.load = functools.partial(torch.load, weights_only=False)
        torch.set_num_threads(1)
        torch.manual_seed(1)
        self.test, began = test, time.process_time()
        # It measures on two files after every epoch; one of them is enough.
        few = os.path.join(folder, "few.conllu")
        write(few, sentences(test, 20))
        if options.supar:
            self.parser = Parser.load(options.supar)
        else:
            path = os.path.join(folder, "supar.model")
            sizes = dict(n_embed=100, n_pretrained=0, n_feat_embed=50, n_char_embed=32, n_char_hidden=100, n_lstm_hidden=200, n_lstm_layers=2, n_edge_mlp=256, n_label_mlp=100)
            learning = dict(lr=2e-3, mu=0.9, nu=0.95, eps=1e-12, weight_decay=0, decay=0.75, decay_steps=5000, clip=5.0, epochs=options.epochs, patience=options.epochs)
            keys = dict(path=path, build=True, checkpoint=False, encoder="lstm", feat=["tag", "char"], embed=None, min_freq=2, verbose=False,
                        train=train, dev=test, test=few, batch_size=1000, interpolation=0.1, itp=0.1, **sizes, **learning)
            Parser.build(**keys).train(**keys)
            self.parser = Parser.load(path)
        self.trained = time.process_time() - began

    def parse(self):
        began = time.process_time()
        found = self.parser.predict(self.test, verbose=False)
        took = time.process_time() - began
        return took, [list(sentence.values[8]) for sentence in found.sentences]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("train")
    parser.add_argument("test")
    parser.add_argument("models", nargs="*", metavar="NAME=MODEL")
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--supar")
    parser.add_argument("--pleach", default="target/release/pleach")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = lambda name: os.path.join(folder, name)
        train, test = sentences(options.train, options.limit), sentences(options.test)
        write(place("train.conllu"), train)
        write(place("test.conllu"), test)
        gold = [[row[8] for row in rows] for rows in test]
        count = sum(map(len, test))
        print(f"{len(train)} sentences to learn from, {len(test)} with {count} words to parse", file=sys.stderr)
        speeds, found, trained = {}, {}, {}
        others = []
        try:
            others.append(("supar", Supar(folder, place("train.conllu"), place("test.conllu"), options)))
            trained["supar"] = others[0][1].trained
        except ImportError as error:
            print(f"supar is left out: {error}", file=sys.stderr)
        ours = []
        for model in options.models:
            name, _, path = model.partition("=")
            if not os.path.exists(path):
                began = os.times()
                command = [options.pleach, "train", path, "--epochs", str(options.epochs), "--train", place("train.conllu"), "--dev", place("test.conllu")]
                path = place(name + ".pleach")
                subprocess.run(command + ["-o", path, "--threads", "1"], check=True)
                trained[name] = os.times().children_user - began.children_user
            ours.append((name, path))
        for _ in range(options.rounds):
            for name, system in others:
                took, columns = system.parse()
                speeds.setdefault(name, []).append(count / took)
                found[name] = scores(gold, columns)
            for name, path in ours:
                command = [options.pleach, "bench", "-m", path, place("test.conllu"), "--rounds", "1", "--threads", "1", "--json"]
                beam = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)["beams"][0]
                speeds.setdefault(name, []).append(beam["tokens_per_cpu_second"])
                found[name] = beam["scores"]["LF"], beam["scores"]["UF"]
    print("| parser | LF | UF | training, CPU s | words/CPU s | lowest to highest |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, speed in speeds.items():
        labelled, unlabelled = found[name]
        seconds = f"{trained[name]:,.0f}" if name in trained else ""
        print(f"| {name} | {labelled:.2f} | {unlabelled:.2f} | {seconds} | {statistics.median(speed):,.0f} | {min(speed):,.0f} to {max(speed):,.0f} |")


if __name__ == "__main__":
    main()
