"""Spark, standalone: a master and two workers as processes of their own. One worker is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pleach
import pytest
from common import OPTIONS, compare, documents

pyspark = pytest.importorskip("pyspark")
from pyspark.sql import SparkSession  # noqa: E402

HOST, PORT, PAGE = "127.0.0.1", 17077, 18080


class Cluster:
    """A standalone master and its workers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = Path(pyspark.__file__).parent
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.start("master", "org.apache.spark.deploy.master.Master", "--host", HOST, "--port", str(PORT))
        self.heard("master", "Starting Spark master")
        for name in ("one", "two"):
            self.start(name, "org.apache.spark.deploy.worker.Worker", "--host", HOST, "--cores", "1", "--memory", "1g",
                "--work-dir", str(folder / f"work-{name}"), f"spark://{HOST}:{PORT}")  # fmt: skip
            self.heard(name, "Successfully registered")

    def start(self, name: str, *command: str) -> None:
        log = open(self.folder / f"{name}.log", "wb")
        env = {**os.environ, "SPARK_HOME": str(self.home), "SPARK_LOCAL_IP": HOST, "PYSPARK_PYTHON": sys.executable,
            "SPARK_DAEMON_MEMORY": "256m"}  # fmt: skip
        program = [str(self.home / "bin" / "spark-class"), *command]
        self.processes[name] = subprocess.Popen(program, stdout=log, stderr=log, env=env, start_new_session=True)

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def heard(self, name: str, words: str, seconds: float = 120) -> None:
        until = time.monotonic() + seconds
        while words not in self.log(name):
            assert time.monotonic() < until, self.log(name)
            time.sleep(0.2)

    def kill(self, name: str) -> None:
        """The worker, its executor and its Python, at once."""
        os.killpg(self.processes[name].pid, signal.SIGKILL)
        self.processes[name].wait()

    def close(self) -> None:
        for process in self.processes.values():
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("spark"))
    yield cluster
    cluster.close()


@pytest.fixture(scope="module")
def spark(cluster):
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = HOST
    session = (
        SparkSession.builder.master(f"spark://{HOST}:{PORT}")
        .config("spark.driver.host", HOST)
        .config("spark.driver.bindAddress", HOST)
        .config("spark.executor.cores", "1")
        .config("spark.executor.memory", "768m")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
        .config("spark.task.maxFailures", "8")
        .getOrCreate()
    )
    yield session
    session.stop()


def test_all_rows_come_through_though_a_worker_is_killed(spark, cluster, tmp_path, capsys):
    import pleach.spark

    rows = documents()
    frame = spark.createDataFrame(rows, "id long, body string, source string").repartition(24)
    parsed = pleach.spark.parse(frame, column="body", **OPTIONS)
    assert parsed.columns == ["id", "body", "source", "sentences", "error"]
    out = str(tmp_path / "parsed.parquet")

    # The job runs in a thread; the worker is killed when some tasks are done and some are not.
    import threading

    raised: list[BaseException] = []

    def run() -> None:
        try:
            parsed.write.parquet(out)
        except BaseException as error:
            raised.append(error)

    tracker = spark.sparkContext.statusTracker()
    job = threading.Thread(target=run)
    job.start()
    done = total = 0
    while job.is_alive():
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        stages = [stage for stage in stages if stage is not None and stage.numTasks == 24]
        if stages:
            done, total = stages[0].numCompletedTasks, stages[0].numTasks
            if 3 <= done < 16:
                break
        time.sleep(0.05)
    assert 0 < done < total, f"the worker is killed in the middle: {done} of {total}"
    cluster.kill("two")
    job.join()
    assert not raised, raised
    assert "two" in cluster.processes and cluster.processes["two"].poll() is not None

    import pyarrow.parquet

    said = compare(rows, pyarrow.parquet.read_table(out).select(parsed.columns))
    with capsys.disabled():
        print(f"\nSpark {pyspark.__version__}: a worker killed after {done} of {total} tasks; {said}")


def test_the_model_is_opened_once_a_process(spark):
    """Tasks of one executor's process share a parser."""
    import pleach.spark

    frame = spark.range(40).selectExpr("id", "concat('It rains ', id) AS text").repartition(8)
    assert pleach.spark.parse(frame).where("error IS NULL").count() == 40

    def opened(_):
        from pleach import cluster

        yield os.getpid(), len(cluster._PARSERS)

    counts = dict(spark.sparkContext.parallelize(range(8), 8).mapPartitions(opened).collect())
    # One for these options, one for those of the test before.
    assert counts and max(counts.values()) <= 2


def test_wrong_columns_are_told_before_the_job_starts(spark):
    import pleach.spark

    frame = spark.createDataFrame([("It rains.", 1)], "body string, number long")
    with pytest.raises(pleach.Error, match="no column 'text'; there are body, number") as caught:
        pleach.spark.parse(frame)
    assert "column=" in caught.value.help
    with pytest.raises(pleach.Error, match="of bigint, not of texts"):
        pleach.spark.parse(frame, column="number")
    with pytest.raises(pleach.Error, match="already"):
        pleach.spark.parse(frame.withColumn("error", frame.body), column="body")


def test_a_model_that_is_not_there_is_told(spark):
    import pleach.spark

    frame = spark.createDataFrame([("It rains.",)], "text string")
    with pytest.raises(Exception, match="none.pleach.*No such file"):
        pleach.spark.parse(frame, model="/no/such/none.pleach").collect()
