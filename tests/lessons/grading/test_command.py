"""``gpucluster lessons grade`` from the shell."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from gpucluster.cli import main

pytestmark = pytest.mark.timeout(300)


def test_grades_are_written_as_a_table_and_a_page(
    hand_in: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from gpucluster.lessons.catalogue import find_lesson

    right = find_lesson("06").exercise("06.2").solution
    hand_in("ana", "", {"06.2": right, "06.3": "def partial(points, labels, centroids):\n    return 1, 2, 3"})
    (tmp_path / "class" / "bo").mkdir()
    (tmp_path / "class" / "bo" / "06-kmeans.ipynb").write_text("{", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code = main(["lessons", "grade", "class", "--out", "grades.csv", "--seed", "3", "--memory", "1 GiB", "--json"])
    captured = capsys.readouterr()
    assert (code, captured.err) == (0, "")
    data = json.loads(captured.out)
    assert (data["seed"], data["limits"]["memory_bytes"], data["notes"]) == (3, 2**30, [])
    states = {one["id"]: one["state"] for one in data["submissions"][0]["exercises"]}
    assert states == {"06.2": "passed", "06.3": "failed", "06.4": "not_yet"}
    ana, bo = csv.DictReader((tmp_path / "grades.csv").read_text(encoding="utf-8").splitlines())
    assert (ana["learner"], ana["points"], ana["of"], ana["06.2"], ana["06.3"]) == ("ana", "1", "3", "1", "0")
    assert (bo["learner"], bo["status"]) == ("bo", "unreadable")
    page = (tmp_path / "grades.html").read_text(encoding="utf-8")
    assert "ana, lesson 06: 1 of 3" in page
    assert "expected" not in states
    # What is asked for is said before anything runs.
    assert main(["lessons", "grade", "class", "--lesson", "99"]) == 3
    assert main(["lessons", "grade", "nowhere"]) == 2


def test_results_go_where_no_file_can_stand(
    hand_in: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_in("ana", "", {"06.2": "..."})
    (tmp_path / "class" / "ana" / "06-kmeans.ipynb").write_text("{", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert main(["lessons", "grade", "class", "--out", "grades.csv", "--report", str(pipe)]) in {0, 1}
        assert b"<html" in os.read(reader, 2**16)
    finally:
        os.close(reader)
    assert pipe.is_fifo(), "it is not replaced by a plain file"
    assert "Traceback" not in capsys.readouterr().err
