"""The pieces of the GPU proof: limits, resuming and reports."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from benchmarks.gpu import __main__ as proof
from benchmarks.gpu import machine_facts as facts_of
from benchmarks.gpu.machine_facts import machine_facts
from benchmarks.gpu.piece import Piece, Result, read_result, run
from benchmarks.gpu.pieces import pieces
from benchmarks.gpu.report import report

UNSEEN = {"context_in_worker": False, "context_in_forkserver": False, "context_in_supervisor": False}
RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"
WRITES = "import json, sys; json.dump({'a': 1}, open(sys.argv[1], 'w')); print('said')"


def done(folder: Path, *code: str, seconds: float = 60) -> Result:
    piece = Piece("one", "a test", ("-c", *code), seconds)
    return run(piece, folder, python=sys.executable, environment=os.environ, commit="abc", simulated=True)


def test_output_of_piece_is_kept(tmp_path: Path) -> None:
    result = done(tmp_path, WRITES, "{figures}")
    assert (result.outcome, result.returncode, result.commit) == ("passed", 0, "abc")
    assert json.loads((tmp_path / "figures.json").read_text()) == {"a": 1}
    assert (tmp_path / "log.txt").read_text() == "said\n"
    assert read_result(tmp_path) == result
    assert done(tmp_path, "raise SystemExit(4)").returncode == 4
    assert not (tmp_path / "figures.json").exists(), "stale figures were kept"
    assert read_result(tmp_path).outcome == "failed"  # type: ignore[union-attr]


@pytest.mark.full
def test_piece_timeout_ends_its_processes(tmp_path: Path, wait_until: Any) -> None:
    child = tmp_path / "child"
    code = (
        "import subprocess, sys, time\n"
        "sleep = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        "subprocess.Popen(sleep)\n"
        # Supervisors are started like this.
        "started = subprocess.Popen(sleep, start_new_session=True)\n"
        f"open({str(child)!r}, 'w').write(str(started.pid))\n"
        "time.sleep(600)"
    )
    assert done(tmp_path, code, seconds=5).outcome == "timed out"
    wait_until(lambda: not psutil.pid_exists(int(child.read_text())))


def test_a_damaged_result_counts_as_none(tmp_path: Path) -> None:
    for text in ("", "{", "[]", '{"name": "one"}'):
        (tmp_path / "result.json").write_text(text)
        assert read_result(tmp_path) is None


def two(monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    found = tuple(Piece(f"piece-{number}", "a test", ("-c", code), 60) for number, code in enumerate(programs))
    monkeypatch.setattr(proof, "pieces", lambda *, simulated: found)


def call(out: Path, *more: str) -> int:
    return proof.main(["--simulated", "--out", str(out), *more])


@pytest.mark.full
def test_only_what_is_missing_is_run(tmp_path, monkeypatch, capsys):
    counter = tmp_path / "counter"
    two(monkeypatch, f"open({str(counter)!r}, 'a').write('x')", f"raise SystemExit(not open({str(counter)!r}).read())")
    counter.touch()
    assert call(tmp_path / "out", "--only", "piece-1") == 1
    assert "Failed: piece-1" in capsys.readouterr().out
    assert call(tmp_path / "out") == 0
    assert call(tmp_path / "out") == 0
    assert counter.read_text() == "x", "a passed piece was repeated"
    assert call(tmp_path / "out", "--again", "--only", "piece-0") == 0
    assert counter.read_text() == "xx"
    monkeypatch.setattr(proof, "commit", lambda: "another")
    assert call(tmp_path / "out", "--only", "piece-0") == 0
    assert counter.read_text() == "xxx", "a passed piece was not repeated for another commit"


def test_remaining_pieces_wait_for_next_call(tmp_path, monkeypatch, capsys):
    two(monkeypatch, "pass", "pass")
    now = 0.0
    run_it = proof._say_and_run

    def taking_fifty_seconds(*arguments: Any) -> None:
        nonlocal now
        run_it(*arguments)
        now += 50

    monkeypatch.setattr(proof, "_say_and_run", taking_fifty_seconds)
    monkeypatch.setattr(proof, "time", SimpleNamespace(monotonic=lambda: now))
    assert call(tmp_path, "--seconds", "100") == proof.UNFINISHED
    printed = capsys.readouterr().out
    assert "piece-0: passed" in printed
    assert "Not done yet: piece-1. Call this again with the same --out." in printed
    assert call(tmp_path, "--seconds", "100") == 0


def test_piece_that_cannot_begin_is_skipped(tmp_path, monkeypatch, capsys):
    two(monkeypatch, "pass", "pass")
    assert call(tmp_path, "--seconds", "59") == 2
    message = "Not begun, as --seconds is less than they may take: piece-0, piece-1. Give at least 60."
    assert message in capsys.readouterr().out


@pytest.mark.full
def test_piece_timeout_is_failure(tmp_path, monkeypatch, capsys):
    piece = Piece("endless", "a test", ("-c", "import time; time.sleep(600)"), 2)
    monkeypatch.setattr(proof, "pieces", lambda *, simulated: (piece,))
    assert call(tmp_path) == 1
    assert "Failed: endless" in capsys.readouterr().out


@pytest.mark.parametrize("gpus", [[{"name": "NVIDIA H200", "driver_version": "580.1"}], []])
def test_results_of_two_machines_are_not_mixed(tmp_path, monkeypatch, capsys, gpus):
    before = {"simulated": False, "gpus": gpus}
    two(monkeypatch, "pass")
    (tmp_path / "machine.json").write_text(json.dumps(before))
    assert call(tmp_path) == 2
    assert "holds results of another GPU or driver, or of a simulated one" in capsys.readouterr().err
    assert not (tmp_path / "piece-0").exists()
    assert json.loads((tmp_path / "machine.json").read_text()) == before


def test_missing_gpu_and_wrong_names_are_reported(tmp_path, monkeypatch, capsys):
    assert call(tmp_path, "--only", "nothing") == 2
    assert "There is no piece nothing. There are: settings" in capsys.readouterr().err
    monkeypatch.setattr("benchmarks.gpu.machine_facts.shutil.which", lambda name: None)
    assert proof.main(["--out", str(tmp_path)]) == 2
    assert "No NVIDIA GPU was found here" in capsys.readouterr().err


def test_requirements_of_piece_are_checked_first(tmp_path, monkeypatch, capsys):
    piece = Piece("far", "a test", ("-c", "pass"), 60, needs=("no_such_module_anywhere",))
    monkeypatch.setattr(proof, "pieces", lambda *, simulated: (piece,))
    assert call(tmp_path) == proof.IMPOSSIBLE
    assert "far: left out, as no_such_module_anywhere cannot be imported here." in capsys.readouterr().out


def test_page_marks_simulated_gpu(tmp_path: Path) -> None:
    result = done(tmp_path / "settings", WRITES, "{figures}")
    facts = machine_facts(simulated=True)
    (tmp_path / "settings" / "figures.json").write_text(json.dumps({"pool": {"skipped": "needs RAPIDS"}}))
    page = report(tmp_path, facts, {"settings": result, "gauges": None}).read_text()
    assert "**The GPU was simulated.**" in page
    assert "| gauges | not run |" in page
    assert "| pool | needs RAPIDS |" in page


def test_page_shows_speed_and_lessons(tmp_path: Path) -> None:
    measured = json.loads((RESULTS / "gpu-direct-h200-2026-11-27.json").read_text())["first"]
    unix = {"round_trip_seconds": 0.001, "result_bytes_per_second": 2e9}
    lesson = {"checks": {"06.1": "passed", "06.2": "failed"}, "seconds": 61.0, "backends": ["cuda", "local"]}
    figures = {
        "direct": measured,
        "slots": {"products_per_second_together": [1.0] * 4, "share_of_alone_in_sum": 0.9},
        "comms": {"result_bytes": 1, "unix": unix, "ucx": {"failed": "ImportError: ucxx"}},
        "cpu": {"cpu_seconds_by_gpu_seconds": {"merge": 20.0}},
        "sampling": {"ratio": {"median": 1.003}}, "allocations": {"times_faster_with_pool": 30.0},
        "lesson-06": {"06": lesson}, "lesson-07": {"07": {"failed": "KilledWorker: lloyd"}},
        "tests": {"passed": 29, "failed": 1, "error": 0, "skipped": 0},
        "starts": {"cold": {"median": {"create_seconds": 9, "restart_seconds": 2}, "runs": [UNSEEN]}},
    }  # fmt: skip
    for name, content in figures.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "figures.json").write_text(json.dumps(content))
    facts = machine_facts(simulated=True)
    page = report(tmp_path, facts, dict.fromkeys(figures)).read_text()
    assert "##" not in page, "a piece without a result is shown"
    end = "2026-11-22T05:00:00+00:00"
    results = {name: Result(name, "failed", 1, 1.0, end, "abc-1", True, "python") for name in figures}
    page = report(tmp_path, facts, results).read_text()
    assert "* `direct`: **failed**, code abc-1, 2026-11-22T05:00:00+00:00" in page
    assert "29 passed, 1 failed, 0 error, 0 skipped." in page
    assert "| cold | 9.00 s | 2.00 s | unknown |" in page
    pca = measured["pca"]["20000000 x 32"]
    ours, ratio, share = (pca[what]["gpucluster.learn"] for what in ("median", "by_cuml_dask", "roofline_share"))
    compared = f"{ratio:.2f} × `cuml.dask`'s time, {100 * share:.0f} % of the copy bandwidth"
    assert f"| pca, 20000000 x 32 | {ours:.3f} s | {compared} |" in page
    assert "| pca, 400000000 x 32 | 0.075 s | 16 % of the copy bandwidth |" in page
    assert "kmeans, 20000000 x 32 |" not in page, "a failed measurement is shown"
    assert "4 clusters in slots of one GPU compute together 0.90 × what one does alone." in page
    assert "| unix | 1000 µs | 2.00 GB/s |" in page
    assert "| ucx | ImportError: ucxx | |" in page
    assert "| merge | | 20.0 × faster than the CPU cores of the same machine |" in page
    assert "| k-means while the gauges are looked at | | 1.003 × its time |" in page
    assert "| allocations with a pool | | 30.0 × faster than without |" in page
    assert "| 06 | 1 of 2 | cuda, local | 61 s |" in page
    assert "| 07 | KilledWorker: lloyd | | |" in page


def test_other_code_is_proved_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts_of, "ROOT", tmp_path)
    program = tmp_path / "benchmarks" / "a.py"
    program.parent.mkdir()
    program.write_text("1")
    first = facts_of.commit()
    assert facts_of.commit() == first
    program.write_text("2")
    assert facts_of.commit() != first


@pytest.mark.full
def test_every_piece_has_help() -> None:
    modules = {piece.command[1] for piece in pieces(simulated=False)} - {"pytest"}
    names = ("allocations", "clusters", "gauges", "lessons", "recordings", "sharing", "speed")
    assert modules == {f"benchmarks.gpu.{name}" for name in names}
    for module in sorted(modules):
        command = [sys.executable, "-m", module, "--help"]
        assert "usage:" in subprocess.check_output(command, cwd=Path(__file__).parents[2], text=True, timeout=120)
    assert all(piece.seconds <= 540 for piece in pieces(simulated=False)), "a piece takes more than ten minutes"
