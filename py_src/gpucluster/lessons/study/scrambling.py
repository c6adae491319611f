"""Answers as hashes, texts as noise: what a saved notebook shows of a question before it is answered.

This keeps eyes from falling on the answer. It protects nothing: the salt and the key stand beside the noise.
The panel undoes it in TypeScript; ``tests/lessons/study/vectors.json`` holds both to the same results.
"""

import base64
import hashlib
import math
from collections.abc import Iterator
from decimal import Decimal
from itertools import count

_WORD = "gpucluster.lessons"
_FINENESS = 10
"""Steps per tolerance: an answer is judged to a tenth of what it may be off."""


def salt_of(name: str) -> str:
    """Return the salt of a question or problem: 16 hexadecimal characters, the same each time."""
    return _sha256(f"{_WORD}\n{name}").hex()[:16]


def hashed(salt: str, answer: str) -> str:
    """Return the hash that stands for an answer."""
    return _sha256(f"{salt}\n{answer}").hex()


def plain_text(answer: str) -> str:
    """Return a typed answer without what does not count: case, and spaces around and between words."""
    # Not casefold(), which no browser has; of what it does more than lower(), only this can be typed on a keyboard.
    return " ".join(answer.replace("ß", "ss").replace("ẞ", "ss").lower().split())


def step_of(answer: float, tolerance: float) -> float:
    """Return the width to which a typed number is rounded before it is compared."""
    if tolerance > 0:
        return tolerance / _FINENESS
    exponent = Decimal(repr(answer)).normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return float(Decimal(1).scaleb(min(exponent, 0)))


def number_key(number: float, step: float) -> str:
    """Return the text that stands for a number: how many steps it is, rounded half to even."""
    return str(round(number / step))


def number_keys(answer: float, tolerance: float) -> list[str]:
    """Return the text of every number that counts as right: none within the tolerance is missed."""
    step = step_of(answer, tolerance)
    reach = tolerance + step / 2 if tolerance > 0 else 0.0
    slack = step * 1e-6
    first, last = math.floor((answer - reach) / step), math.ceil((answer + reach) / step)
    return [str(steps) for steps in range(first, last + 1) if abs(steps * step - answer) <= reach + slack]


def locked(salt: str, key: str, text: str) -> str:
    """Return a text as noise."""
    return base64.b64encode(_mixed(salt, key, text.encode())).decode()


def unlocked(salt: str, key: str, noise: str) -> str:
    """Return the text that was locked."""
    return _mixed(salt, key, base64.b64decode(noise)).decode()


def shuffled(salt: str, names: list[str]) -> list[str]:
    """Return the names in an order that only salt and names decide."""
    return sorted(names, key=lambda name: _sha256(f"{salt}\nshuffle\n{name}"))


def _mixed(salt: str, key: str, content: bytes) -> bytes:
    return bytes(byte ^ mask for byte, mask in zip(content, _keystream(salt, key), strict=False))


def _keystream(salt: str, key: str) -> Iterator[int]:
    for block in count():
        yield from _sha256(f"{salt}\n{key}\n{block}")


def _sha256(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
