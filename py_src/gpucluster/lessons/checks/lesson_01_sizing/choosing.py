"""Lesson 01, ten cases: which tool fits?"""

from __future__ import annotations

from typing import Any

from ...examination import Examination, describe
from .. import exercise

_TOOLS = ("pandas", "one device", "spill", "dask", "spark")
_KEY = {
    "a": ("pandas", "it fits one process with much working room"),
    "b": ("pandas", "the table is tiny, and each question must be quick"),
    "c": ("one device", "compare 30 GB, and twice as much to work with, with the memory of the device"),
    "d": (
        "spill",
        "pandas has no working room, it is only a little too large for the device, and once a month may be slow",
    ),
    "e": ("Dask", "it is several times larger than one device, and there are more devices"),
    "f": ("Spark", "think of what the people there have and know"),
    "g": ("Dask", "it is larger than the memory of the laptop, and there is no accelerator"),
    "h": ("Dask", "there is work for many machines, and it is Python"),
    "i": ("one device", "compare 10 GB, and some room to work, with the memory of the device"),
    "j": ("Dask", "memory is not the problem: 31 of 32 cores are idle"),
}
_ENOUGH = 9


@exercise("01.5", "choices")
def check_choices(exam: Examination, choices: Any) -> None:
    """Nine of the ten choices agree with the key."""
    exam.require("choices is a dictionary", isinstance(choices, dict), describe(choices))
    missing = [case for case in _KEY if choices.get(case) in (None, ...)]
    exam.require("Each case has a choice", not missing, f"without one: {', '.join(missing)}")
    said = {case: str(choices[case]).strip().lower() for case in _KEY}
    unknown = [case for case in _KEY if said[case] not in _TOOLS]
    exam.require("Each choice is one of the five words", not unknown,
                 f"{unknown[0]} is {choices[unknown[0]]!r}" if unknown else "")  # fmt: skip
    wrong = [case for case, (tool, _) in _KEY.items() if said[case] != tool.lower()]
    advice = "; ".join(f"{case}: {_KEY[case][1]}" for case in wrong[:2])
    exam.expect(
        "Nine of the ten choices are good ones",
        len(_KEY) - len(wrong) >= _ENOUGH,
        f"{len(_KEY) - len(wrong)} of 10" + (f". Think again of {advice}" if wrong else ""),
    )
