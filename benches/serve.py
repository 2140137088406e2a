#!/usr/bin/env python3
"""Load on `pleach serve`, over loopback, beside `pleach parse` on the same text.

    cargo build --release -p pleach-cli && benches/serve.py [--seconds 10] [--requests 100000]

Needs wrk (Debian's package). Prints the tables of docs/results/serve.md.
"""

import argparse
import json
import os
import re
import signal
import statistics
import subprocess
import tempfile
import time
import urllib.request

SENTENCES = [
    "The company that Mark wants to buy is small.",
    "She bought and ate an apple, and he promised to leave early.",
    "The letters that were written by her were sent to the queen yesterday.",
    "Nobody believed what the minister said about the new railway.",
]

SCRIPT = """
wrk.method = "POST"
wrk.headers["content-type"] = "text/plain"
wrk.body = %s
local threads = {}
function setup(thread) table.insert(threads, thread) end
function init() ok = 0; full = 0; other = 0 end
function response(status)
  if status == 200 then ok = ok + 1 elseif status == 503 then full = full + 1 else other = other + 1 end
end
function done(summary, latency)
  local ok, full, other = 0, 0, 0
  for _, thread in ipairs(threads) do
    ok = ok + thread:get("ok"); full = full + thread:get("full"); other = other + thread:get("other")
  end
  io.write(string.format("RESULT %%d %%d %%d %%d %%f %%f %%f\\n", ok, full, other, summary.errors.connect + summary.errors.read +
    summary.errors.write + summary.errors.timeout, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
"""


class Service:
    """A service on a free port."""

    def __init__(self, binary, *arguments):
        command = [binary, "serve", "--addr", "127.0.0.1:0", "--log", "off", *arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.address = re.search(r"http://[\d.:]+", self.process.stderr.readline()).group()

    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024

    def cpu(self):
        """Seconds that it has computed so far."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def post(self, text):
        request = urllib.request.Request(self.address + "/v1/parse", text.encode(), {"content-type": "text/plain"})
        with urllib.request.urlopen(request) as answer:
            return answer.read()

    def load(self, clients, seconds, body):
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write(SCRIPT % json.dumps(body))
            script.flush()
            command = ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "30s", "-s", script.name,
                       self.address + "/v1/parse"]
            output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found = re.search(r"RESULT (.*)", output).group(1).split()
        ok, full, other, errors = map(int, found[:4])
        duration, p50, p99 = map(float, found[4:])
        return {"ok": ok, "full": full, "other": other, "errors": errors, "rate": ok / duration,
                "refused": full / duration, "p50": p50, "p99": p99}

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait()


def whole_text(binary, repetitions):
    """The same text as one request and by `pleach parse`, in turn."""
    text = "\n\n".join(" ".join(SENTENCES) for _ in range(400)) + "\n"
    words = len(text.split())
    service = Service(binary)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        parse = [binary, "parse", file.name, "--to", "conllu"]
        served, parsed = [], []
        service.post(text)
        children = lambda: sum(os.times()[2:4])
        for _ in range(repetitions):
            start, cpu = time.perf_counter(), service.cpu()
            service.post(text)
            served.append((time.perf_counter() - start, service.cpu() - cpu))
            start, cpu = time.perf_counter(), children()
            subprocess.run(parse, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            parsed.append((time.perf_counter() - start, children() - cpu))
    service.end()
    print(f"\n{words} words, {repetitions} times in turn, medians (spread):\n\n| | words a second of CPU | words/s of the clock |\n"
          "| --- | ---: | ---: |")
    for name, times in (("`pleach parse`", parsed), ("one request", served)):
        cells = []
        for column in (1, 0):
            rates = sorted(words / found[column] for found in times)
            cells.append(f"{statistics.median(rates):.0f} ({rates[0]:.0f}-{rates[-1]:.0f})")
        print(f"| {name} | {' | '.join(cells)} |")
    ratio = statistics.median(found[1] for found in parsed) / statistics.median(found[1] for found in served)
    print(f"\nThe service does {ratio:.2f} times the words of `pleach parse` in the same CPU time.\n")


def table(binary, seconds):
    print("| clients | requests/s | CPU ms a request | p50 ms | p99 ms | errors |\n| ---: | ---: | ---: | ---: | ---: | ---: |")
    service = Service(binary, "--max-requests", "1024")
    for clients in (1, 16, 256):
        cpu = service.cpu()
        found = service.load(clients, seconds, SENTENCES[0])
        cpu = 1e3 * (service.cpu() - cpu) / max(found["ok"], 1)
        print(f"| {clients} | {found['rate']:.0f} | {cpu:.2f} | {found['p50']:.1f} | {found['p99']:.1f} | {found['errors'] + found['other'] + found['full']} |")
    service.end()


def overload(binary, seconds):
    """Far more clients than may be worked on: those in are served, the rest hear 503 at once."""
    service = Service(binary, "--max-requests", "8")
    times = []
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(SCRIPT % json.dumps(SENTENCES[0]))
        script.flush()
        command = ["wrk", "-t1", "-c64", f"-d{seconds}s", "-s", script.name, service.address + "/v1/parse"]
        load = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while load.poll() is None:
            start = time.perf_counter()
            urllib.request.urlopen(service.address + "/healthz").read()
            times.append(time.perf_counter() - start)
            time.sleep(0.05)
        found = re.search(r"RESULT (.*)", load.stdout.read()).group(1).split()
    ok, full = int(found[0]), int(found[1])
    duration = float(found[4])
    times.sort()
    print(f"\n64 clients where 8 may: {ok / duration:.0f} served/s and {full / duration:.0f} refused/s (503, Retry-After); `/healthz` "
          f"meanwhile p50 {1e3 * times[len(times) // 2]:.1f} ms, p99 {1e3 * times[int(len(times) * 0.99)]:.1f} ms")
    service.end()


def memory(binary, requests):
    service = Service(binary, "--max-requests", "1024")
    service.load(16, 3, SENTENCES[1])
    sizes, done = [service.memory()], 0
    while done < requests:
        done += service.load(16, 10, SENTENCES[done % len(SENTENCES)])["ok"]
        sizes.append(service.memory())
    print(f"\nMemory: {sizes[0]:.0f} MB after warming up, {max(sizes):.0f} MB at most, {sizes[-1]:.0f} MB after {done} requests")
    assert service.end() == 0


def killed(binary):
    service = Service(binary)
    port = service.address.rsplit(":", 1)[1]
    service.post("Mark sleeps.")
    service.end(signal.SIGKILL)
    start = time.perf_counter()
    again = subprocess.Popen([binary, "serve", "--addr", f"127.0.0.1:{port}", "--log", "off"], stderr=subprocess.PIPE, text=True)
    again.stderr.readline()
    urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz").read()
    print(f"\nkill -9 and a new start on the same port: ready after {1e3 * (time.perf_counter() - start):.0f} ms")
    again.terminate()
    again.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=os.path.join(os.path.dirname(__file__), "../target/release/pleach"))
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--repetitions", type=int, default=7)
    arguments = parser.parse_args()
    whole_text(arguments.binary, arguments.repetitions)
    table(arguments.binary, arguments.seconds)
    overload(arguments.binary, arguments.seconds)
    killed(arguments.binary)
    memory(arguments.binary, arguments.requests)
