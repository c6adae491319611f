"""The answers of lesson 13 with many hidden inputs, and what its checks take for granted about Dask's files."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest
from distributed import performance_report
from gpucluster.lessons.checking import check
from gpucluster.lessons.course.lesson_13_where_did_the_time_go import checks_reports as checks
from gpucluster.lessons.hints import solution_of

from tests.lessons.answering import answers_to, seeds
from tests.lessons.test_answers import load, load_answer, named

_IMPORTS = "import numpy as np\nimport pandas as pd\n"


@pytest.mark.parametrize("seed", seeds(10))
@pytest.mark.parametrize("number", ["13.1", "13.2", "13.3", "13.4", "13.5", "13.7", "13.8"])
def test_the_solution_passes_whatever_the_hidden_inputs(number: str, seed: int) -> None:
    text = _IMPORTS + solution_of(number)
    result = check(number, *load(text, f"<{number}>", named(number)), seed=seed)
    assert result.passed, result


@pytest.mark.parametrize("number", ["13.1", "13.2", "13.3", "13.4", "13.5", "13.7", "13.8"])
def test_wrong_answers_fail_whatever_the_hidden_inputs(number: str) -> None:
    for wrong in [one for one in answers_to(number) if not one.right][:4]:
        for seed in range(3):
            assert not check(number, *load_answer(wrong), seed=seed).passed, wrong.id


@pytest.mark.full
def test_the_report_of_the_check_is_like_a_real_one(client: Any, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    with performance_report(filename=str(file)):
        client.gather(client.map(abs, range(7), pure=False))
    real = file.read_text(encoding="utf-8")
    made = checks.report_text("1.5 s", 7, {"compute": "12.00 ms"}, 2, 2)

    def skeleton(text: str) -> list[str]:
        text = html.unescape(text)
        begin = text.index("<h2> Duration")
        lines = text[begin : text.index("Memory:", begin)].replace("\\n", "\n").split("\n")
        return [re.sub(r": .* </", ": … </", line.strip()) for line in lines if line.strip()]

    assert skeleton(real) == skeleton(made)
    facts = load(solution_of("13.2"), "<13.2>", named("13.2"))[0](real)
    assert facts["tasks"] == 7
    assert facts["threads"] == sum(client.nthreads().values())
    assert 0 < facts["compute"] < facts["seconds"] * facts["threads"]


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("250.00 us", 250e-6), ("380.63 ms", 0.38063), ("12.50 s", 12.5), ("3m 20s", 200), ("2hr 15m", 8100),
     ("1d 4hr", 100_800)],
)  # fmt: skip
def test_times_as_dask_writes_them(written: str, seconds: float) -> None:
    assert checks.in_seconds(written) == pytest.approx(seconds)
    solution = load(solution_of("13.2"), "<13.2>", named("13.2"))[0]
    text = checks.report_text(written, 3, {"compute": written}, 4, 2)
    assert solution(text) == {"seconds": pytest.approx(seconds), "tasks": 3, "compute": pytest.approx(seconds),
                              "threads": 4}  # fmt: skip


def test_a_trace_that_is_changed_is_noticed() -> None:
    def diagnose(trace: Any) -> str:
        word = checks.true_word(trace)
        trace.copies[:] = 0
        return word

    fixes = {word: fix for word, (fix, _) in checks.FIXES.items()}
    result = check("13.7", diagnose, fixes)
    assert [finding.expected for finding in result.findings if not finding.passed] == [
        "What it is given stays as it was"
    ]
