"""Ray, on this machine: actors in processes of their own. One is killed in the middle."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pleach
import pytest
from common import OPTIONS, compare, documents

ray = pytest.importorskip("ray")
import ray.data  # noqa: E402


def noted(folder: str):
    import pleach.ray

    class Parse(pleach.ray.Parse):
        """Says which processes parse, and how many batches they did."""

        def __call__(self, batch):
            parsed = super().__call__(batch)
            with open(os.path.join(folder, str(os.getpid())), "a") as file:
                file.write("x")
            return parsed

    return Parse


@pytest.fixture(scope="module")
def cluster():
    # Logical ones: two for the actors, and some for what reads and writes.
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
    yield
    ray.shutdown()


def test_all_rows_come_through_though_an_actor_is_killed(cluster, tmp_path, capsys):
    rows = documents(1000)
    folder = tmp_path / "processes"
    folder.mkdir()
    dataset = ray.data.from_items(rows, override_num_blocks=20)
    parsed = dataset.map_batches(
        noted(str(folder)),
        fn_constructor_args=("body",),
        fn_constructor_kwargs=OPTIONS,
        batch_format="pyarrow",
        batch_size=50,
        concurrency=2,
        max_restarts=4,
        max_task_retries=4,
    )
    out = tmp_path / "parsed"
    raised: list[BaseException] = []

    def run() -> None:
        try:
            parsed.write_parquet(str(out))
        except BaseException as error:
            raised.append(error)

    job = threading.Thread(target=run)
    job.start()

    def batches() -> dict[str, int]:
        return {path.name: path.stat().st_size for path in Path(folder).iterdir()}

    while job.is_alive() and not (len(batches()) == 2 and min(batches().values()) >= 2):
        time.sleep(0.02)
    before = batches()
    assert len(before) == 2 and sum(before.values()) < 18, f"an actor is killed in the middle: {before}"
    os.kill(int(min(before)), signal.SIGKILL)
    job.join()
    assert not raised, raised
    assert len(batches()) == 3, "another process took its place"

    import pyarrow.parquet

    said = compare(rows, pyarrow.parquet.read_table(out))
    with capsys.disabled():
        print(f"\nRay {ray.__version__}: an actor killed after {sum(before.values())} of 20 batches; {said}")


def test_parse_adds_columns(cluster):
    import pleach.ray

    dataset = ray.data.from_items([{"text": "It rains."}, {"text": None}])
    rows = pleach.ray.parse(dataset, concurrency=1).take_all()
    assert len(rows) == 2
    good = next(row for row in rows if row["error"] is None)
    bad = next(row for row in rows if row["error"] is not None)
    assert good["sentences"][0]["words"][1]["form"] == "rains" and "not None" in bad["error"]


def test_wrong_columns_are_told_before_the_job_starts(cluster):
    import pleach.ray

    with pytest.raises(pleach.Error, match="no column 'text'; there are body"):
        pleach.ray.parse(ray.data.from_items([{"body": "x"}]))
