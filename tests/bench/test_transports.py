"""Comparison of transports: the line through the messages, the table, and two clusters in turns."""

import json
from pathlib import Path

import pytest
from gpucluster.bench import transports
from gpucluster.bench.text import seconds_texts

SIZES = [0, 1_000, 1_000_000, 64_000_000]


def line(latency: float, rate: float) -> list[float]:
    return [latency + size / rate for size in SIZES]


def test_latency_and_bandwidth_of_the_line() -> None:
    latency, each = transports.fitted(SIZES, line(1e-4, 2e9))
    assert latency == pytest.approx(1e-4)
    assert 1 / each == pytest.approx(2e9)
    messages = transports.Messages.of(SIZES, [line(1e-4, 2e9), line(3e-4, 1e9), line(9.0, 1e9)])
    assert messages.seconds == pytest.approx(line(3e-4, 1e9)), "medians of the turns"
    assert messages.quartiles[0] == pytest.approx((2e-4, 4.50015))
    assert messages.line(1_000_000) == pytest.approx(1.3e-3)


def made() -> transports.TransportResult:
    messages = {"tcp": [line(3e-4, 1e9)], "mpi": [line(1e-4, 1e9)]}
    merge = {"tcp": [1.0, 2.0, 3.0], "mpi": [1.0] * 3}
    return transports.TransportResult(
        started_at="2026-01-01T00:00:00+00:00", wall_seconds=1.0, n_workers=2, n_repeats=3, transports=["tcp", "mpi"],
        messages={name: transports.Messages.of(SIZES, turns) for name, turns in messages.items()},
        workloads=[transports.Timed(workload="merge", title="", size="tiny", seconds=merge)],
        hosts=[], versions={"distributed": "1"}, notes=["Skipped: ucx: no <GPU>."],
    )  # fmt: skip


def test_the_table_has_a_column_for_each_transport() -> None:
    result = made()
    assert transports.rows(result)[0] == ("WORK", "TCP", "MPI")
    assert ("latency α", "300 µs", "100 µs") in transports.rows(result)
    assert ("merge (tiny)", "2.00 s (1.50 to 2.50)", "1.00 s (1.00 to 1.00)") in transports.rows(result)
    assert ("a block of 1 MB", "1.30 ms (1.30 to 1.30)", "1.10 ms (1.10 to 1.10)") in transports.rows(result)
    assert ("a block of 1 kB", "301 µs (301 to 301)", "101 µs (101 to 101)") in transports.rows(result)
    assert ("bandwidth 1/β", "1.00 GB/s", "1.00 GB/s") in transports.rows(result)


def test_compared_times_have_one_unit() -> None:
    assert seconds_texts([0.0005, 0.0123]) == ["500 µs", "12,300 µs"]
    assert seconds_texts([2.0, 0.9], [(1.5, 2.5), (0.0009, 1.0)]) == [
        "2,000 ms (1,500 to 2,500)",
        "900 ms (0.90 to 1,000)",
    ]


def test_note_on_kinds_of_clusters() -> None:
    assert transports._note_on_kinds(["unix", "tls", "mpi"], ["unix", "tls", "mpi"]) == [
        "Over tls and mpi the workers are ranks of an MPI program, over unix of a cluster on this machine alone."
    ]
    assert transports._note_on_kinds(["unix", "tcp"], ["unix", "tcp"]) == []
    assert transports._note_on_kinds(["tls", "mpi"], ["tls", "mpi"]) == []


def test_page_and_file(tmp_path: Path) -> None:
    result = made()
    assert "Skipped: ucx: no <GPU>." in transports.text(result)
    transports.write_page(result, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "no &lt;GPU&gt;" in page
    assert "<script src" not in page
    result.save(tmp_path / "result.json")
    assert transports.TransportResult.model_validate_json((tmp_path / "result.json").read_text()) == result


@pytest.mark.processes
@pytest.mark.full
def test_two_transports_take_turns(site) -> None:
    result = transports.compare_transports(["unix", "tcp", "ucx"], size="tiny", repeats=1)
    assert result.transports == ["unix", "tcp"]
    assert "ucx" in result.notes[0]
    assert {one.workload for one in result.workloads} == {"transpose-sum", "merge", "kmeans", "shuffle"}
    assert all(set(one.seconds) == {"unix", "tcp"} for one in result.workloads)
    assert all(min(messages.seconds) > 0 for messages in result.messages.values())
    assert json.loads(result.model_dump_json())["format"] == "transports-1"
