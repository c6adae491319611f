"""How long the next try waits, and that it is told."""

from __future__ import annotations

from gpucluster.supervisor import reconciler
from gpucluster.supervisor.reconciler import Backoff


def test_a_long_wait_is_told_once(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(reconciler.time, "monotonic", lambda: now[0])
    backoff = Backoff()
    told = []
    for _ in range(8):
        assert backoff.due
        backoff.asked()
        told.append(backoff.untold_wait())
        assert backoff.untold_wait() is None
        now[0] += 60.0 if backoff.due else told[-1] or 4.0
    assert told == [None, None, None, 8.0, 16.0, 32.0, 60.0, 60.0]
