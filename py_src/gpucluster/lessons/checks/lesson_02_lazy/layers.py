"""Lesson 02, five jobs: which collection fits?"""

from __future__ import annotations

from typing import Any

from ...examination import Examination, describe
from .. import exercise

_NAMES = ("dataframe", "array", "bag", "delayed", "futures")
_KEY = {
    "a": ("DataFrame", "what does pandas call it?"),
    "b": ("Bag", "the lines have no common shape yet"),
    "c": ("Array", "it is one block of numbers"),
    "d": ("Delayed", "these are functions, and the plan is known before the start"),
    "e": ("Futures", "a plan cannot be made before the first results are there"),
}


@exercise("02.6", "collections")
def check_collections(exam: Examination, collections: Any) -> None:
    """All five choices agree with the key."""
    exam.require("collections is a dictionary", isinstance(collections, dict), describe(collections))
    missing = [job for job in _KEY if collections.get(job) in (None, ...)]
    exam.require("Each job has a collection", not missing, f"without one: {', '.join(missing)}")
    said = {job: str(collections[job]).strip().lower() for job in _KEY}
    unknown = [job for job in _KEY if said[job] not in _NAMES]
    exam.require("Each is one of the five words", not unknown,
                 f"{unknown[0]} is {collections[unknown[0]]!r}" if unknown else "")  # fmt: skip
    wrong = [job for job, (name, _) in _KEY.items() if said[job] != name.lower()]
    advice = f". Think again of {wrong[0]}: {_KEY[wrong[0]][1]}" if wrong else ""
    exam.expect("Each job has the collection that fits it", not wrong, f"{len(_KEY) - len(wrong)} of 5{advice}")
