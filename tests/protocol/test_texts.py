"""Foreign text has no effect in a terminal; sizes, durations, workers and verbs are found as users write them."""

import inspect
import json
import logging
from datetime import timedelta

import pytest
from dask.utils import parse_timedelta
from gpucluster.cli.changes import CHANGES
from gpucluster.client.control import AsyncControl
from gpucluster.protocol.durations import parse_seconds
from gpucluster.protocol.errors import ClusterNotFound, InvalidRequest, WorkerNotFound
from gpucluster.protocol.kinds import parse_spec
from gpucluster.protocol.messages import MessageCode
from gpucluster.protocol.models import ClusterModel, WorkerModel
from gpucluster.protocol.plain_text import escaped, plain_log, printable
from gpucluster.protocol.sizes import format_size, parse_size, parse_size_or_auto
from gpucluster.protocol.verbs import VERBS, Verb, arguments_of, known_verbs, posts
from gpucluster.protocol.workers import find_worker
from gpucluster.supervisor.requests import Requests
from hypothesis import given
from hypothesis import strategies as st

from tests.models import cluster_model


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


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2 GiB", 2 * 2**30), ("2GiB", 2 * 2**30), (" 2gib ", 2 * 2**30), ("2G", 2 * 2**30), ("2 GB", 2 * 10**9),
        ("1.5 GiB", 3 * 2**29), ("1048576", 2**20), (2**31, 2**31), (float(2**31), 2**31), ("512 MB", 512 * 10**6),
        ("80%", 0.8), ("0.8", 0.8), (0.8, 0.8), ("12.5 %", 0.125), (1.0, 1.0), ("100%", 1.0), ("0.5 TiB", 2**39),
    ],
)  # fmt: skip
def test_a_size_is_read_as_it_is_meant(written, meant):
    read = parse_size(written)
    assert read == meant
    assert type(read) is type(meant)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (1, "'1' is less than 1 MiB"), ("1.5", "'1.5' is less than 1 MiB"), (0, "'0' is less"),
        (-5, "must not be negative"),
        (1.5, "neither a whole number of bytes nor a fraction"), ("1.0", "less than 1 MiB"),
        ("101%", "between 0% and 100%"), ("0%", "between 0%"),
        ("2 pounds", "'pounds' is not a unit"), ("", "is not a memory size"),
        ("-2 GiB", "is not a memory size"),
        ("lots", "is not a memory size"), (True, "must be a memory size"), (None, "must be a memory size"),
        ([], "must be a memory size"), (float("nan"), "neither"), (float("inf"), "neither"),
        ("9" * 400, "more than any machine has"), (10**5000, "more than any machine has"),
        ("0.0000000001 GiB", "less than 1 MiB"), ("1" * 300 + "%", "between 0% and 100%"),
        ("auto", "is not a memory size"),
    ],
    ids=lambda value: repr(value)[:20] if not isinstance(value, int) or value < 2**64 else "huge",
)  # fmt: skip
def test_anything_else_is_refused_with_a_sentence(written, words):
    with pytest.raises(ValueError) as refusal:
        parse_size(written)
    assert words in str(refusal.value)
    assert len(str(refusal.value)) < 200


def test_auto_is_kept():
    assert parse_size_or_auto(" AUTO ") == "auto"
    assert parse_size_or_auto("50%") == 0.5


@given(st.integers(2**20, 2**60))
def test_bytes_are_unchanged(size_bytes):
    assert parse_size(size_bytes) == size_bytes
    assert parse_size(float(size_bytes)) == int(float(size_bytes))


@given(st.integers(2**20, 2**50))
def test_shown_size_parses_to_nearly_the_same(size_bytes):
    assert parse_size(format_size(size_bytes)) == pytest.approx(size_bytes, rel=0.06)


@given(st.one_of(st.text(), st.floats(), st.integers()))
def test_any_text_is_a_size_a_share_or_a_value_error(written):
    try:
        read = parse_size(written)
    except ValueError:
        return
    assert 2**20 <= read <= 2**60 if isinstance(read, int) else 0 < read <= 1


@pytest.mark.parametrize(
    ("size_bytes", "shown"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1536 * 2**20, "1.5 GiB"), (2**40, "1 TiB"), (3 * 2**30, "3 GiB")],
)
def test_sizes_are_shown_in_binary_units(size_bytes, shown):
    assert format_size(size_bytes) == shown


def test_disk_fraction_is_described_as_disk():
    with pytest.raises(InvalidRequest, match=r"^scratch_limit: a percentage must be between 0% and 100%\.$"):
        parse_spec({"backend": "local", "scratch_limit": "200%"})


@pytest.mark.parametrize(
    "text", ["10s", "500ms", "1 hour", "2 hours", "3 minutes", "1.5 days", "90", "5m", "us", "2 weeks", " 7 s "]
)
def test_parses_the_same_as_dask(text):
    assert parse_seconds(text) == pytest.approx(parse_timedelta(text))


@pytest.mark.parametrize(("value", "seconds"), [(0, 0), (2.5, 2.5), (timedelta(minutes=2), 120), ("0", 0)])
def test_numbers_are_seconds(value, seconds):
    assert parse_seconds(value) == seconds


@pytest.mark.parametrize("value", ["", "soon", "-1s", "10 parsecs", "1e5", "s s", True, -1, float("nan"), float("inf")])
def test_other_values_are_refused_with_allowed_ones(value):
    with pytest.raises(ValueError, match="write seconds, or a duration such as '10s'"):
        parse_seconds(value)


@given(st.none() | st.text() | st.integers() | st.floats() | st.lists(st.integers()))
def test_nothing_else_happens(value):
    try:
        assert parse_seconds(value) >= 0
    except ValueError as error:
        assert "duration" in str(error)


UUIDS = ("GPU-0000aaaa-1111-2222", "GPU-0000aaab-1111-2222", "MIG-12345678-9999-0000")


def cluster(*names: str) -> ClusterModel:
    return cluster_model(workers=[WorkerModel(name=name, n_threads=1) for name in names])


@pytest.mark.parametrize(
    ("text", "name"), [("7", "7"), (UUIDS[0], UUIDS[0]), ("GPU-0000aaab", UUIDS[1]), ("MIG-1234", UUIDS[2])]
)
def test_a_name_or_the_beginning_of_a_uuid(text, name):
    assert find_worker(cluster("7", "70", *UUIDS), text).name == name


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("GPU-0000aaa", f"has no worker 'GPU-0000aaa'. Several names begin with this: {UUIDS[0]}, {UUIDS[1]}."),
        ("GPU-", "has no worker 'GPU-'. Its workers are: 7, 70, "),
        ("", f"has no worker ''. Its workers are: 7, 70, {UUIDS[0]}, {UUIDS[1]}, {UUIDS[2]} and 1 more."),
        ("71", "has no worker '71'. Did you mean 7?"),
        ("x\n" * 500, "has no worker 'x"),
    ],
)
def test_unknown_worker_lists_the_known_ones(text, sentence):
    with pytest.raises(WorkerNotFound) as refused:
        find_worker(cluster("7", "70", *UUIDS, "last"), text)
    assert sentence in refused.value.message
    assert len(refused.value.message) < 300


def test_cluster_without_workers():
    with pytest.raises(WorkerNotFound, match="It has no workers"):
        find_worker(cluster(), "0")


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
