"""Comparison of a lesson's results on a GPU and on a CPU, and the table of RMM's log."""

from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.gpu.allocations import as_parquet
from benchmarks.gpu.lessons import comparable, compare


def ran(*lines: str, **checks: str) -> dict[str, Any]:
    return {"06": {"checks": checks, "seconds": 1.0, "peak_bytes": 1, "printed": list(lines)}}


def test_times_and_sizes_are_not_results() -> None:
    lines = ["inertia 2,655.5 after 27 iterations", "10 tasks took 0.3 s", "12 MB left", "no number here"]
    assert comparable(lines) == [("inertia # after # iterations", [2655.5, 27.0])]


def test_comparison_tolerates_rounding_and_signs() -> None:
    first = ran("inertia 2655.5", "component 0.25", "rows 100", a="passed")
    second = ran("inertia 2655.6", "component -0.25", "rows 120", a="failed")
    found = compare(first, second)["06"]
    assert found["lines_compared"] == 3
    assert [one["line"] for one in found["lines_that_differ"]] == ["rows #"]
    assert found["checks_that_differ"] == {"a": ["passed", "failed"]}
    assert [one["line"] for one in found["lines_that_differ_in_signs"]] == ["component #"]


def test_lines_with_the_same_words_are_all_compared() -> None:
    first, second = ran("carrier 1", "carrier 2", "carrier 3"), ran("carrier 1", "carrier 9", "carrier 3", "carrier 4")
    found = compare(first, second)["06"]
    assert found["lines_compared"] == 3
    assert found["lines_that_differ"] == [{"line": "carrier #", "first": [2.0], "second": [9.0]}]
    assert found["lines_in_one_only"] == 1


def test_small_numbers_are_distinguished() -> None:
    assert compare(ran("error 0.0001"), ran("error 0.0009"))["06"]["lines_that_differ"]
    assert not compare(ran("error 1e-17"), ran("error 3e-16"))["06"]["lines_that_differ"]


def test_failed_lesson_is_reported() -> None:
    found = compare({"06": {"failed": "out of memory"}}, ran("x 1"))
    assert found == {"06": {"failed": ["out of memory", None]}}


LOG = """Thread,Time,Action,Pointer,Size,Stream
4242,02:10:11.123456,allocate,0x7f0000000000,1048576,0x0
4242,02:10:11.123499,free,0x7f0000000000,1048576,0x0
"""


def test_log_of_rmm_becomes_a_table(tmp_path: Path) -> None:
    assert as_parquet(LOG, tmp_path / "log.parquet") == 2
    table = pd.read_parquet(tmp_path / "log.parquet")
    assert table["Action"].tolist() == ["allocate", "free"]
    assert table["Size"].sum() == 2 * 1048576
    assert table["Pointer"].nunique() == 1
