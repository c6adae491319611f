"""What a front end may say: a crafted notebook can send anything."""

from __future__ import annotations

from typing import Any

import pytest
from gpucluster.widgets.messages import Opened, Scale, Stop, read_message


def test_what_our_views_say():
    assert read_message({"kind": "opened", "view": "a1", "keeps": True}) == Opened(kind="opened", view="a1", keeps=True)
    assert read_message({"kind": "stop"}) == Stop(kind="stop")
    scale = read_message({"kind": "scale", "n_workers": 3})
    assert isinstance(scale, Scale)
    assert scale.n_workers == 3


def deep() -> Any:
    nested: Any = []
    for _ in range(100_000):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    "content",
    [
        None,
        "stop",
        [],
        {},
        {"kind": None},
        {"kind": "remove"},
        {"kind": "stop", "cluster": "another"},
        {"kind": ["stop"]},
        {"kind": "scale"},
        {"kind": "scale", "n_workers": [1]},
        {"kind": "scale", "n_workers": {"minimum": 1}},
        {"kind": "opened", "view": "", "keeps": True},
        {"kind": "opened", "view": "x" * 65, "keeps": True},
        {"kind": "opened", "view": 1, "keeps": True},
        {"kind": "opened", "view": "a", "keeps": "yes"},
        {"kind": "page", "page": "x" * 81},
        {"kind": "page", "page": 7},
        {"kind": "retire", "worker": ""},
        {"kind": "retire", "worker": "x" * 201},
        {"kind": "__class__", "__dict__": {}},
    ],
)
def test_everything_else_is_nothing(content: Any):
    assert read_message(content) is None


def test_depth_is_nothing_too():
    assert read_message({"kind": "scale", "n_workers": deep()}) is None
