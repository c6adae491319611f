"""Lesson 14, software: old installations, and the order of the whole way."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ...examination import Examination
from ...material.installations import RULES
from .. import exercise
from .words import command_words

_OTHERS = ("numpy", "cupy", "psutil", "pandas", "dask-jobqueue", "python-dateutil", "makefun", "rmm-tools", "py-cython")
_PINS = ("", "", "=1.2", "==2021.1.1", ">=1.20", "<3", "!=2.0", "=3.8.*", ">1,<2")


def random_installation(rng: np.random.Generator) -> tuple[list[str], list[str], list[str]]:
    """Return the words of a command, the names of its packages, and the options that stay."""
    names = [str(name) for name in rng.permutation([*RULES, *_OTHERS])[: int(rng.integers(1, 12))]]
    packages = [[f"{name}{rng.choice(_PINS)}"] for name in names]
    sources = rng.permutation(["conda-forge", "rapidsai", "nvidia", "numpy"])[: int(rng.integers(0, 4))]
    channels = [[str(rng.choice(["-c", "--channel"])), str(one)] for one in sources]
    stay = [["-y"]] if rng.random() < 0.4 else []
    stay += [["-n", str(rng.choice(["course", "dask", "rmm"]))]] if rng.random() < 0.5 else []
    parts = [*packages, *channels, *stay]
    words = ["conda", str(rng.choice(["install", "create"]))]
    words += [word for place in rng.permutation(len(parts)) for word in parts[place]]
    return words, names, [word for one in stay for word in one]


@exercise("14.7", "modernise")
def check_modernise(exam: Examination, modernise: Any) -> None:
    """Packages, channels and options of random old commands are as the rules say."""
    for turn in range(60):
        words, names, stay = random_installation(exam.rng)
        rules = {
            name: (f"{name}=9" if new and turn % 2 else new) for name, new in RULES.items() if exam.rng.random() < 0.8
        }
        channels = [str(one) for one in exam.rng.permutation(["rapidsai", "conda-forge", "local"])[: 1 + turn % 3]]
        command = " ".join(words)
        found = command_words(exam, exam.call(modernise, command, rules, channels))
        told = f"{command} → {' '.join(found)}"
        exam.expect("It begins as the old one did", found[:2] == words[:2], told)
        new = [rules.get(name, name) for name in names]
        wanted = Counter(one for one in new if one is not None)
        options, packages, given, late = _read(found[2:])
        kept = " ".join(sorted(options)) == " ".join(sorted(stay))
        exam.expect("-n with its name and -y stay, and nothing else", kept, f"{options}: {told}")
        exam.expect("The channels are the new ones, in their order", given == channels, told)
        exam.expect("The channels come before the packages", not late, told)
        missing = list((wanted - Counter(packages)).elements())
        exam.expect("All packages that the rules want are there", not missing, f"missing: {missing}, {told}")
        more = list((Counter(packages) - wanted).elements())
        exam.expect("No others are there, and no old pins", not more, f"too much: {more}, {told}")


def _read(words: list[str]) -> tuple[list[str], list[str], list[str], bool]:
    """Return options with their values, packages, channels, and whether a channel comes after a package."""
    options: list[str] = []
    packages: list[str] = []
    channels: list[str] = []
    late = False
    left = [part for word in words
            for part in (word.split("=", 1) if word.startswith("--channel=") else [word])]  # fmt: skip
    while left:
        word = left.pop(0)
        if word in {"-c", "--channel"} and left:
            channels.append(left.pop(0))
            late = late or bool(packages)
        elif word == "-n" and left:
            options += [word, left.pop(0)]
        elif word.startswith("-"):
            options.append(word)
        else:
            packages.append(word)
    return options, packages, channels, late


@exercise("14.8", "order")
def check_way_onto_the_machine(exam: Examination, order: Any) -> None:
    """Any order in which each step comes after those it needs."""
    from ...study.ordering import check_order

    check_order(exam, "14.8", order)
