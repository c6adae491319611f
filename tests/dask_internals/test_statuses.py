"""Canaries: states of servers."""

from __future__ import annotations

import types

import pytest
from gpucluster.dask_internals import statuses

QUESTIONS = {
    statuses.has_failed: {"failed"},
    statuses.is_ending: {"closing", "closed", "failed"},
    statuses.is_gone: {"closed"},
    statuses.is_closed: {"closing", "closed"},
    statuses.has_not_started: {"created", "starting"},
    statuses.can_hold_results: {"running", "paused"},
    statuses.is_paused: {"paused"},
    statuses.still_works: {"running", "paused", "closing_gracefully"},
}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.__name__)
def test_answers(question, canary):
    names = ("created", "starting", "running", "paused", "closing_gracefully", "closing", "closed", "failed")
    with canary("distributed.core.Status with " + ", ".join(sorted(QUESTIONS[question]))):
        servers = {name: types.SimpleNamespace(status=statuses.status_named(name)) for name in names}
        assert {name for name, server in servers.items() if question(server)} == QUESTIONS[question]


def test_servers_have_them(here, canary):
    with canary("Server.status and Cluster.status"):
        for server in (here.scheduler, here.worker, here.cluster):
            assert not statuses.has_not_started(server)
            assert not statuses.is_ending(server)
        assert statuses.can_hold_results(here.scheduler.workers[here.worker.address])
    with canary("Status.dont_reply"):
        assert statuses.no_reply().name == "dont_reply"
