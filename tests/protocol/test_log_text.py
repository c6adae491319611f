"""A record of a log is one line, whatever was sent."""

from __future__ import annotations

import logging

import pytest
from gpucluster.protocol.errors import ClusterNotFound
from gpucluster.protocol.log_text import plain_log

FORGED = "x\x1b[31m\x00\n[I 2026-01-01 ServerApp] all is well\u2028"


def test_what_others_sent_commands_no_terminal_and_forges_no_line(caplog: pytest.LogCaptureFixture) -> None:
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


def test_no_sentence_commands_a_terminal() -> None:
    error = ClusterNotFound(f"There is no {FORGED}.")
    for text in (error.message, str(error), error.model().message):
        assert text.startswith(r"There is no x\x1b[31m\x00")
