"""Text of others does nothing in a terminal."""

from __future__ import annotations

import pytest
from gpucluster.protocol.plain_text import escaped, printable


@pytest.mark.parametrize(
    ("text", "longest", "shown"),
    [
        ("Zürich-7", None, "Zürich-7"),
        ("\x1b[2J\u202eevil\n", None, "?[2J?evil?"),
        ("x" * 300, None, "x" * 300),
        ("x" * 40, 40, "x" * 40),
        ("x" * 41, 40, "x" * 39 + "…"),
        ("\x9b" * 300, 3, "??…"),
        ("", 40, ""),
    ],
)
def test_printable(text: str, longest: int | None, shown: str) -> None:
    assert printable(text, longest) == shown


@pytest.mark.parametrize(
    ("text", "keep", "shown"),
    [
        ("Zürich-7, 日本\u00a0🚀", "", "Zürich-7, 日本\u00a0🚀"),
        ("\x1b[2J\u202eevil\x00\n\t", "", r"\x1b[2J\u202eevil\x00\n\t"),
        ("one\n\ttwo\r\x7f", "\n\t", "one\n\ttwo\\r\\x7f"),
        ("\x9b31m\x85\u2028\ud800\U000e0001", "", r"\x9b31m\x85\u2028\ud800\U000e0001"),
    ],
)
def test_escaped(text: str, keep: str, shown: str) -> None:
    assert escaped(text, keep=keep) == shown
    assert escaped(shown, keep=keep) == shown
