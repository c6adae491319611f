"""The table of verbs names existing functions, and versions with other verbs understand each other."""

from __future__ import annotations

import inspect
import json

import pytest
from gpucluster.cli.changes import CHANGES
from gpucluster.client.control import AsyncControl
from gpucluster.protocol.messages import MessageCode
from gpucluster.protocol.verbs import VERBS, Verb, arguments_of, known_verbs, posts
from gpucluster.supervisor.requests import Requests


def test_every_verb_is_described_and_a_command() -> None:
    assert VERBS.keys() == set(Verb)
    assert CHANGES.keys() == {verb.replace("_", "-") for verb in Verb}
    assert set(Verb).isdisjoint(MessageCode), "the activity log has both as kinds"


@pytest.mark.parametrize(("verb", "path"), [(verb, path) for verb, path, _ in posts()])
def test_post_models_match_their_paths(verb: Verb, path: str) -> None:
    named = arguments_of(path)
    assert list(inspect.signature(getattr(AsyncControl, verb)).parameters) == ["self", "id", *named, "wait", "timeout"]
    assert len(inspect.signature(getattr(Requests, verb)).parameters) == 2 + len(named)
    assert named or path == verb.replace("_", "-"), "as the panel requests it"


def test_verbs_of_a_newer_version_are_left_out() -> None:
    assert known_verbs(json.loads('["restart", "levitate"]')) == ["restart"]
