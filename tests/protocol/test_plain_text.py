"""Foreign text has no effect in a terminal."""

from __future__ import annotations

import logging

import pytest
from gpucluster.protocol.errors import ClusterNotFound
from gpucluster.protocol.plain_text import escaped, plain_log, printable


@pytest.mark.parametrize(
    ("text", "longest", "shown"),
    [
        ("Zürich-7", None, "Zürich-7"), ("\x1b[2J\u202eevil\n", None, "?[2J?evil?"), ("x" * 300, None, "x" * 300),
        ("x" * 40, 40, "x" * 40), ("x" * 41, 40, "x" * 39 + "…"), ("\x9b" * 300, 3, "??…"), ("", 40, ""),
    ],
)  # fmt: skip
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


FORGED = "x\x1b[31m\x00\n[I 2026-01-01 ServerApp] all is well\u2028"


def test_foreign_text_contains_no_control_characters_or_lines(caplog: pytest.LogCaptureFixture) -> None:
    log = plain_log(logging.LoggerAdapter(logging.getLogger("test_log_text")))
    assert plain_log(logging.getLogger("test_log_text")) is log
    log.warning("asked for %s", FORGED)
    try:
        raise ValueError(FORGED)
    except ValueError:
        log.exception("failed")
    first, *rest = caplog.text.splitlines()
    assert first.endswith(r"asked for x\x1b[31m\x00\n[I 2026-01-01 ServerApp] all is well\u2028")
    assert "\x1b" not in "".join(rest) and r"ValueError: x\x1b[31m\x00" in "".join(rest)


def test_messages_contain_no_control_characters() -> None:
    error = ClusterNotFound(f"There is no {FORGED}.")
    for text in (error.message, str(error), error.model().message):
        assert text.startswith(r"There is no x\x1b[31m\x00")
