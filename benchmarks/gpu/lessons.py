"""Run the solution of each lesson on this machine's workers, and compare two such runs: GPU and CPU.

``run`` keeps what each check observed and every number that cells printed; ``compare`` says which of them agree within
the tolerance of their kind (single precision, sums in another order, signs and ties).
"""

from __future__ import annotations

import argparse
import json
import math
import re
from pathlib import Path
from typing import Any

from gpucluster.lessons.catalogue import find_lesson, lessons
from gpucluster.lessons.measuring import measure, private_registry

from .piece import write_json

RELATIVE = 1e-3
"""Single precision, and sums in another order."""
SMALL = 1e-6
"""What is smaller counts as zero."""
_NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?", re.IGNORECASE)
_TIMED = re.compile(r"\b(s|ms|seconds|tasks? per|bytes|kB|MB|GB|MiB|GiB|times as fast|tls?://|pid)\b")
"""Lines about time, memory and addresses differ between machines; they are not results."""


def run(numbers: list[str]) -> dict[str, Any]:
    """Run lessons; returns for each its checks, the seconds, the memory and the numbers it printed."""
    found: dict[str, Any] = {}
    for lesson in [find_lesson(number) for number in numbers] if numbers else lessons():
        if lesson is None:
            raise SystemExit("There is no such lesson.")
        with private_registry():
            try:
                measured = measure(lesson.solution_notebook, cell_timeout=300)
            except Exception as error:  # the other lessons are worth having
                found[lesson.id] = {"failed": f"{type(error).__name__}: {error}"}
                print(lesson.id, found[lesson.id]["failed"], flush=True)
                continue
        found[lesson.id] = {
            "checks": measured.states,
            "seconds": measured.seconds,
            "peak_bytes": measured.peak_bytes,
            "printed": printed(measured.run.notebook),
        }
        passed = sum(state == "passed" for state in measured.states.values())
        print(lesson.id, f"{passed} of {len(lesson.exercises)} checks, {measured.seconds:.0f} s", flush=True)
    return found


def printed(book: Any) -> list[str]:
    """Return the lines that cells printed or returned as text."""
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    texts = [one["text"] for one in outputs if one["output_type"] == "stream" and one["name"] == "stdout"]
    texts += [one["data"].get("text/plain", "") for one in outputs if one["output_type"] == "execute_result"]
    return [line for text in texts for line in text.splitlines()]


def comparable(lines: list[str]) -> list[tuple[str, list[float]]]:
    """Return the lines that tell results: their words, and the numbers in them."""
    found = []
    for line in lines:
        if _TIMED.search(line):
            continue
        numbers = [float(one.replace(",", "")) for one in _NUMBER.findall(line)]
        if numbers:
            found.append((_NUMBER.sub("#", line).strip(), numbers))
    return found


def compare(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Compare two runs lesson by lesson.

    Returns
    -------
    dict
        For each lesson: checks that differ, how many lines were compared, those that differ, those that differ in signs
        only (directions are known up to theirs), and how many are in one run only.
    """
    table: dict[str, Any] = {}
    for lesson in sorted(first.keys() & second.keys()):
        one, other = first[lesson], second[lesson]
        if "failed" in one or "failed" in other:
            table[lesson] = {"failed": [one.get("failed"), other.get("failed")]}
            continue
        left, right = by_words(one["printed"]), by_words(other["printed"])
        same = [words for words in left if words in right]
        pairs = [(words, *pair) for words in same for pair in zip(left[words], right[words], strict=False)]
        checks = {id: [state, other["checks"].get(id)] for id, state in one["checks"].items()}
        table[lesson] = {
            "checks_that_differ": {id: pair for id, pair in checks.items() if pair[0] != pair[1]},
            "lines_compared": len(pairs),
            "lines_that_differ": [
                {"line": words, "first": first, "second": second}
                for words, first, second in pairs
                if not _agree(first, second) and not _agree(*_unsigned(first, second))
            ],
            "lines_that_differ_in_signs": [
                {"line": words, "first": first, "second": second}
                for words, first, second in pairs
                if not _agree(first, second) and _agree(*_unsigned(first, second))
            ],
            "lines_in_one_only": sum(
                abs(len(left.get(words, ())) - len(right.get(words, ()))) for words in left.keys() | right.keys()
            ),
            "seconds": [one["seconds"], other["seconds"]],
        }
    return table


def by_words(lines: list[str]) -> dict[str, list[list[float]]]:
    """Return the numbers of the lines that tell results, in their order, by what is said of them."""
    found: dict[str, list[list[float]]] = {}
    for words, numbers in comparable(lines):
        found.setdefault(words, []).append(numbers)
    return found


def _agree(first: list[float], second: list[float]) -> bool:
    return len(first) == len(second) and all(
        math.isclose(one, other, rel_tol=RELATIVE, abs_tol=SMALL) for one, other in zip(first, second, strict=True)
    )


def _unsigned(*rows: list[float]) -> list[list[float]]:
    return [[abs(number) for number in row] for row in rows]


def main() -> int:
    """Run lessons, or compare two runs."""
    parser = argparse.ArgumentParser(description="Run the lessons here, or compare two runs.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    do = verbs.add_parser("run")
    do.add_argument("lessons", nargs="*")
    do.add_argument("--figures", type=Path, required=True)
    against = verbs.add_parser("compare")
    against.add_argument("first", type=Path)
    against.add_argument("second", type=Path)
    against.add_argument("--figures", type=Path, required=True)
    options = parser.parse_args()
    if options.verb == "compare":
        pair = [json.loads(path.read_text(encoding="utf-8")) for path in (options.first, options.second)]
        table = compare(*pair)
        write_json(options.figures, table)
        return 0
    found = run(options.lessons)
    write_json(options.figures, found)
    failed = any("failed" in one or set(one["checks"].values()) != {"passed"} for one in found.values())
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
