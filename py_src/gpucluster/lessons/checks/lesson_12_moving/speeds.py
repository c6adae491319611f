"""Lesson 12, speeds: bytes per second in one direction, from what data sheets say."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from ...material.links import LINKS, PublishedLink
from .. import exercise
from ..answers import number

ENCODINGS = ((8, 10), (128, 130), (64, 66), (242, 256))


def true_speed(link: PublishedLink) -> float:
    """Return bytes per second, one way."""
    if link["unit"] == "GT/s":
        useful, sent = link["encoding"]
        speed = link["value"] * 1e9 * link["lanes"] * useful / sent / 8
    else:
        speed = link["value"] * 1e9 / (8 if link["unit"] == "Gb/s" else 1)
    return speed / 2 if link["both_directions"] else speed


def random_published(rng: np.random.Generator) -> PublishedLink:
    """Return a link that nobody sells."""
    unit = str(rng.choice(["GT/s", "Gb/s", "GB/s"]))
    encoding = ENCODINGS[int(rng.integers(len(ENCODINGS)))]
    return {
        "value": float(rng.choice([2.5, 5.0, 8.0, 25.0, 40.0, 300.0, 1000.0])), "unit": unit,
        "lanes": int(rng.choice([1, 4, 8, 16] if unit == "GT/s" else [1, 2, 4])),
        "encoding": encoding if unit == "GT/s" else (1, 1), "both_directions": bool(rng.random() < 0.4),
    }  # fmt: skip


@exercise("12.4", "one_way", "seconds_to_move")
def check_speeds(exam: Examination, one_way: Any, seconds_to_move: Any) -> None:
    """Within a thousandth, for the links of the table and for others."""
    whole: PublishedLink = {"value": 200.0, "unit": "Gb/s", "lanes": 4, "encoding": (1, 1), "both_directions": False}
    links = [
        *LINKS.items(),
        ("a network of four lanes", whole),
        *((f"another link {turn}", random_published(exam.rng)) for turn in range(30)),
    ]
    for name, link in links:
        true = true_speed(link)
        found = number(exam, exam.call(one_way, dict(link)), "The speed")
        right = abs(found / true - 1) < 1e-3
        words = f"{link['value']:g} {link['unit']}, {link['lanes']} lanes, encoding {link['encoding']}" + (
            ", both directions" if link["both_directions"] else ""
        )
        exam.expect("The speed is in bytes per second, one way", right,
                    f"{found / 1e9:,.4g} GB/s" + _not(right, true / 1e9, f"{name} ({words})"))  # fmt: skip
        n_bytes = int(exam.rng.choice([10**6, 10**9, 10**12, 2**40, 10**15]))
        seconds = number(exam, exam.call(seconds_to_move, n_bytes, dict(link)), "The time")
        right = abs(seconds * true / n_bytes - 1) < 1e-3
        exam.expect("The time is the bytes divided by that speed", right,
                    f"{seconds:,.4g} s" + _not(right, n_bytes / true, f"{n_bytes:,} bytes, {name}"))  # fmt: skip


def _not(right: bool, true: float, case: str) -> str:
    return "" if right else f", not {true:,.4g}: {case}"
