"""Text of others does nothing in a terminal."""

from __future__ import annotations

import pytest
from gpucluster.protocol.plaintext import printable


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
