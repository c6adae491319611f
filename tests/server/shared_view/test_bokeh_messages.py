"""What a page of Bokeh's may say to the dashboard."""

from __future__ import annotations

import json

import pytest
from gpucluster.server.shared_view.dashboard import ReadOnly

QUESTION = '{"msgid": "7", "msgtype": "PULL-DOC-REQ"}'
PATCH = '{"msgid": "8", "msgtype": "PATCH-DOC"}'


def heard(*frames: str | bytes) -> list[str]:
    """Return the frames that the dashboard gets."""
    read_only = ReadOnly()
    return [passed for frame in frames for passed in read_only.passed_on(frame)]


def kinds(frames: list[str]) -> list[str]:
    """Return the types of the messages; every message is three frames."""
    assert len(frames) % 3 == 0 and all(frame == "{}" for place, frame in enumerate(frames) if place % 3)
    return [json.loads(frame)["msgtype"] for frame in frames[::3]]


def test_questions_pass():
    assert kinds(heard(QUESTION, "{}", "{}", '{"msgid": "9", "msgtype": "SERVER-INFO-REQ", "num_buffers": 0}')) == [
        "PULL-DOC-REQ", "SERVER-INFO-REQ",
    ]  # fmt: skip


def test_changes_do_not_pass_with_their_buffers_and_questions_after_them_do():
    with_buffers = '{"msgid": "8", "msgtype": "PATCH-DOC", "num_buffers": 2}'
    assert kinds(heard(PATCH, "{}", "{}", QUESTION)) == ["PULL-DOC-REQ"]
    assert kinds(heard(with_buffers, "{}", "{}", *["{}", b"x"] * 2, QUESTION)) == ["PULL-DOC-REQ"]


def test_nothing_of_a_question_is_passed_on_that_could_be_taken_for_another_message():
    """A dashboard that cannot read the second frame takes the third one for a header."""
    assert kinds(heard(QUESTION, "no JSON", PATCH, QUESTION, "{}", '{"events": []}')) == ["PULL-DOC-REQ"] * 2
    [header, *_] = heard('{"msgid": "7", "msgtype": "PULL-DOC-REQ", "more": {"msgtype": "PATCH-DOC"}}')
    assert json.loads(header) == {"msgid": "7", "msgtype": "PULL-DOC-REQ"}


@pytest.mark.parametrize(
    "frame",
    [
        "", "x", "[]", "null", "[" * 100_000, "{}", '{"msgtype": ["PULL-DOC-REQ"], "msgid": "1"}',
        '{"msgtype": "pull-doc-req", "msgid": "1"}', '{"msgtype": "PULL-DOC-REQ", "msgid": 1}', b"\xff\xfe",
        '{"msgtype": "PULL-DOC-REQ", "msgid": "' + "a" * 65 + '"}', '{"msgtype": "PUSH-DOC", "msgid": "1"}',
        '{"msgtype": "PULL-DOC-REQ", "msgtype": "PATCH-DOC", "msgid": "1"}',
        '{"msgtype": "PATCH-DOC", "msgid": "1", "num_buffers": 1e99}',
        '{"msgtype": "PATCH-DOC", "msgid": "1", "num_buffers": -1}',
    ],
)  # fmt: skip
def test_what_is_no_question_does_not_pass(frame):
    assert heard(frame) == []
