"""Lesson 08, encoders: one code for one label, in every block."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination, describe
from .. import exercise

WORDS = np.array(["UA", "AA", "B6", "DL", "EV", "MQ", "WN", "US", "VX", "FL", "AS", "9E", "F9", "HA", "YV", "OO"])


def _some_words(rng: np.random.Generator) -> Any:
    """Return eight short words and a longer one, in any order."""
    return rng.permutation([*rng.permutation(WORDS)[:8], str(rng.choice(["UAL", "DLH", "WNX"]))])


@exercise("08.8", "distinct", "encode")
def check_encoding(exam: Examination, distinct: Any, encode: Any) -> None:
    """Categories are small and complete; codes agree between blocks; an unknown label gets no valid code."""
    for pool in (_some_words(exam.rng), np.sort(exam.rng.choice(500, 12, replace=False))):
        # Each block has some of the labels only, and the first one lacks the first label.
        blocks = [exam.rng.choice(pool[start:stop], size) for start, stop, size in ((3, 8, 40), (0, 5, 25), (2, 9, 60))]
        complete = True
        for block in blocks:
            found = _array(exam, exam.call(distinct, block.copy()))
            true = set(block.tolist())
            small = found.ndim == 1 and len(found) <= len(true)
            exam.require(
                "distinct returns each label of a block once",
                small,
                f"shape {found.shape} for {len(true)} labels in {len(block)} rows",
            )
            same = found.dtype.kind == block.dtype.kind or found.dtype.kind == "O"
            exam.require(
                "Labels stay what they are: words, or whole numbers",
                same,
                f"{found.dtype} for labels of the type {block.dtype}",
            )
            complete &= exam.expect(
                "No label of the block is missing, and none is added",
                set(found.tolist()) == true,
                f"{len(found)} labels for {len(true)}; missing: {len(true - set(found.tolist()))}, "
                f"added: {len(set(found.tolist()) - true)}",
            )
        if not complete:
            return
        categories = np.unique(np.concatenate(blocks))
        codes = [_array(exam, exam.call(encode, block.copy(), categories.copy())) for block in blocks]
        for block, code in zip(blocks, codes, strict=True):
            exam.require(
                "There is one whole number for each row",
                code.shape == block.shape and code.dtype.kind in "iu",
                f"shape {code.shape}, dtype {code.dtype}",
            )
            inside = bool(((code >= 0) & (code < len(categories))).all())
            exam.require("Codes run from 0 to the number of categories − 1", inside, f"{code.min()} to {code.max()}")
        labels, numbers = np.concatenate(blocks), np.concatenate(codes)
        agree = all(len(np.unique(numbers[labels == label])) == 1 for label in categories)
        exam.expect("The same label has the same code in every block", agree, "it has" if agree else "it has not")
        right = float((categories[numbers] == labels).mean())
        exam.expect("categories[code] gives the label back", right == 1, f"for {right:.0%} of the rows")
        for strange in _unknown(pool, categories):
            said = _for_unknown(encode, strange, categories)
            exam.expect(
                "A label that is not in categories gets no valid code: an error, or −1",
                said in {"an error", "-1"},
                f"{said} for {strange[-1]!s}",
            )


def _array(exam: Examination, result: Any) -> Any:
    listed = isinstance(result, (np.ndarray, list, tuple)) or hasattr(result, "to_numpy")
    exam.require("It returns an array", listed, describe(result))
    return np.asarray(result)


def _unknown(pool: Any, categories: Any) -> list[Any]:
    """Known labels followed by one that sorts before, between or after them."""
    strange = ["00", "CC", "ZZ"] if pool.dtype.kind == "U" else [-1, int(categories[0]) + 1, 10_000]
    found = [np.array([categories[0], label]) for label in strange if label not in categories and label not in pool]
    if pool.dtype.kind == "U":
        # The beginning of a known label, in a block without any longer ones.
        longest = max(categories.tolist(), key=len)
        short = [longest[:length] for length in range(1, len(longest))]
        found += [np.array([label]) for label in short if label not in categories and label not in pool]
    return found


def _for_unknown(encode: Any, values: Any, categories: Any) -> str:
    try:
        code = np.asarray(encode(values, categories.copy()))
    except Exception:
        return "an error"
    return str(code[-1]) if code.ndim and len(code) else "nothing"
