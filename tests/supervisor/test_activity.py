"""The log of requests to a cluster and their results, and the bounded log of what its processes print."""

import asyncio
import logging
import os
import re
import signal
from pathlib import Path

import gpucluster
import httpx
import psutil
import pytest
from gpucluster.client.control import Control
from gpucluster.protocol.errors import ClusterNotFound
from gpucluster.protocol.models import ClusterState, WorkerModel
from gpucluster.protocol.plain_text import RateLimit
from gpucluster.protocol.sizes import format_size
from gpucluster.protocol.version import BY_HEADER
from gpucluster.registry import logs
from gpucluster.registry.ending import LONGEST_LINE, tail
from gpucluster.supervisor.activity_log import ActivityLog, Death, DeathCauses, WorkerTitles, span
from gpucluster.supervisor.bounded_log import BoundedLog
from gpucluster.supervisor.state_store import news

from tests.conftest import until_async


def log_of(folder, planned, announce=lambda kind, message, **_: None, inquire=None):
    """Return the log of a cluster without a deployment, so that the causes of deaths are unknown by default."""
    inquire = inquire or DeathCauses(lambda: None).look_at
    return ActivityLog(folder / "activity", lambda: planned, inquire=inquire, announce=announce, titles=WorkerTitles())


def member(name, address):
    return WorkerModel(name=name, n_threads=1, address=address)


def lose(log, number):
    """Let worker 0 join and leave."""
    log.note_workers([member("0", f"tcp://h:{number}")], restarting=False)
    log.note_workers([], restarting=False)
    log.flush()


async def test_repeated_deaths_are_one_notice(tmp_path, monkeypatch):
    noticed = []

    def announce(kind, message, *, instead):
        noticed.append((kind, message, instead))
        return news(kind, message)

    log = log_of(tmp_path, {"0"}, announce)
    for number in range(40):
        lose(log, number)
    kinds = [entry.kind for entry in logs.read_activity(tmp_path / "activity")]
    assert kinds.count("worker_died") == 40, "each has an entry"
    assert noticed[0] == ("worker_died", "Worker 0 left unexpectedly; see the log.", None)
    assert noticed[-1][1] == "Worker 0 left unexpectedly, 40 times; see the log."
    assert all(instead is not None for *_, instead in noticed[1:]), "one notice, which is replaced"
    monkeypatch.setattr("gpucluster.supervisor.activity_log.NOTICE_SECONDS", 0.0)
    lose(log, 40)
    assert noticed[-1] == noticed[0], "a later death is another notice"


async def test_notice_is_updated_after_recomputing(tmp_path):
    noticed = []

    def announce(kind, message, *, instead):
        noticed.append((message, None if instead is None else instead.text))
        return news(kind, message)

    def inquire(workers):
        return [Death(worker, "was killed (SIGKILL)", 14) for worker in workers]

    log = log_of(tmp_path, {"0"}, announce, inquire)
    log.note_recomputing(0)
    log.note_workers([member("0", "tcp://h:1")], restarting=False)
    log.note_workers([], restarting=False)
    log.note_recomputing(0)
    assert noticed == [], "nothing was reported yet"
    log.flush()
    log.note_recomputing(14)
    log.note_recomputing(0)
    log.note_recomputing(0)
    being, were = (f"Worker 0 was killed (SIGKILL). 14 results {verb} recomputed." for verb in ("are being", "were"))
    assert noticed == [(being, None), (were, being)]
    [entry] = logs.read_activity(tmp_path / "activity")
    assert entry.message == "Worker 0 was killed (SIGKILL). 14 results to recompute.", "which stays true"


async def test_notices_are_completed_at_end(tmp_path):
    """One notice for each period in which a result counts once, however the deaths are read."""
    shown = {}

    def announce(kind, message, *, instead):
        if instead is not None:
            del shown[id(instead)]
        added = news(kind, message)
        shown[id(added)] = added
        return added

    windows = iter([1, 1, 2, 3])
    inquire = lambda workers: [Death(worker, "was killed (SIGKILL)", 1, window=next(windows)) for worker in workers]  # noqa: E731
    log = log_of(tmp_path, {"0"}, announce, inquire)

    texts = lambda: [message.text.removeprefix("Worker 0 was killed (SIGKILL)") for message in shown.values()]  # noqa: E731
    for number in range(3):
        lose(log, number)
        log.note_recomputing(number + 1)
    assert texts() == [", 2 times. 2 results are being recomputed.", ". 1 result is being recomputed."]
    log.note_recomputing(0)
    done = [", 2 times. 2 results were recomputed.", ". 1 result was recomputed."]
    assert texts() == done
    lose(log, 3)
    log.ended()
    assert texts() == [*done, ". 1 result to recompute."]


async def test_failed_tasks_are_logged_once(tmp_path):
    log = log_of(tmp_path, set())
    for failures in ([("load", "1 task failed")], [("load", "2 tasks failed")], [], [("load", "3 tasks failed")]):
        log.note_failures(failures)
    entries = [(entry.kind, entry.message) for entry in logs.read_activity(tmp_path / "activity")]
    assert entries == [("failure", "1 task failed"), ("failure", "3 tasks failed")]


def story(site, cluster):
    return [(entry.kind, entry.by, entry.message) for entry in site.control.activity(cluster).entries]


@pytest.mark.full
def test_activity_names_requesters(site):
    me = f"Python, process {os.getpid()}"
    other = Control(site.directory, by="command line, process 815")
    model = site.running(name="busy", n_workers=1)
    assert story(site, "busy") == [("create", me, "Create with 1 worker"), ("state", None, "Running with 1 worker")]
    other.patch("busy", {"n_workers": 3})
    site.wait_for("busy", lambda now: now.n_workers == 3 and now.state is ClusterState.RUNNING)
    other.patch("busy", {"idle_timeout_seconds": 1800})
    site.control.patch("busy", {"idle_timeout_seconds": 0})
    before = {worker.pid for worker in site.get("busy").workers}
    site.control.restart("busy", wait=False)
    site.wait_for("busy", lambda now: now.n_workers == 3 and before.isdisjoint(worker.pid for worker in now.workers))
    site.wait_for("busy", lambda now: now.state is ClusterState.RUNNING)
    site.control.patch("busy", {"adapt": {"minimum": 2, "maximum": 3}})
    other.stop("busy")
    entries = story(site, model.id)
    assert [entry for entry in entries if entry[1]] == [
        ("create", me, "Create with 1 worker"),
        ("scale", "command line, process 815", "Scale to 3 workers"),
        ("idle_timeout", "command line, process 815", "Stop when idle for 30 minutes"),
        ("idle_timeout", me, "Never stop automatically"),
        ("restart", me, "Restart all workers"),
        ("adapt", me, "Scale adaptively, 2 to 3"),
        ("stop", "command line, process 815", "Stop"),
    ]
    # One entry where they come together, two where a slow machine brings the second more than a second later.
    joined = [message for kind, _, message in entries if kind == "worker_joined"]
    assert joined == ["Workers 1 and 2 joined"] or sorted(joined) == ["Worker 1 joined", "Worker 2 joined"], entries
    assert entries[-1] == ("state", None, "Stopped.")
    assert gpucluster.list()[0].id == model.id
    site.control.remove("busy")


@pytest.mark.full
def test_lost_worker_and_supervisor_are_logged(site, wait_until):
    model = site.running(name="unlucky", n_workers=2)
    os.kill(model.workers[0].pid, signal.SIGKILL)
    lost = ("worker_died", None, f"Worker {model.workers[0].name} was killed (SIGKILL).")
    wait_until(lambda: lost in story(site, "unlucky"), what=lambda: story(site, "unlucky"))
    wait_until(lambda: [entry.message for entry in site.get("unlucky").news] == [lost[2]])
    os.kill(model.pid, signal.SIGKILL)
    ended = site.wait_for("unlucky", lambda now: now.state.ended)
    assert story(site, "unlucky")[-1] == ("failure", None, ended.reason)


async def test_simultaneous_workers_are_one_entry(tmp_path, monkeypatch):
    def saw(*names):
        activity_log.note_workers([member(name, f"tcp://h:{name}") for name in names], restarting=False)

    def messages():
        return [entry.message for entry in logs.read_activity(tmp_path / "activity")]

    waiting = []
    loop = asyncio.get_running_loop()
    monkeypatch.setattr(loop, "call_later", lambda seconds, then: waiting.append((seconds, then)) or Timer())
    activity_log = log_of(tmp_path, {"0", "1", "2", "3"})
    saw("0")
    saw("0", "1")
    saw("0", "1", "2")
    [(seconds, then)] = waiting
    assert (seconds, messages()) == (1.0, [])
    then()
    assert messages() == ["Workers 1 and 2 joined"]
    saw("0", "1", "2", "3")
    activity_log.note_request("stop", None, "Stop")
    assert messages()[1:] == ["Worker 3 joined", "Stop"], "earlier events come before a request"


async def test_restart_is_one_entry(tmp_path):
    def saw(*ports, restarting=False):
        workers = [member(str(port % 10), f"tcp://h:{port}") for port in ports]
        activity_log.note_workers(workers, restarting=restarting)

    activity_log = log_of(tmp_path, {"0", "1", "2"})
    saw(10, 11, 12)
    activity_log.happened("restart", "Restart all workers")
    saw(11, 12)
    saw(20, restarting=True)
    saw(20, 21)
    saw(20, 21, 22)
    activity_log.flush()
    saw(20, 21)
    saw(20, 21, 32)
    activity_log.flush()
    assert [entry.message for entry in logs.read_activity(tmp_path / "activity")] == [
        "Restart all workers",
        "Worker 2 left unexpectedly; see the log.",
        "Worker 2 joined",
    ]


async def test_short_lived_worker_joins_before_it_leaves(tmp_path):
    activity_log = log_of(tmp_path, {"0", "1"})
    for names in ("0", "01", "0"):
        activity_log.note_workers([member(name, f"tcp://h:{name}") for name in names], restarting=False)
    activity_log.happened("worker_died", "It has ended")
    messages = [entry.message for entry in logs.read_activity(tmp_path / "activity")]
    assert messages == ["Worker 1 joined", "Worker 1 left unexpectedly; see the log.", "It has ended"]


class Timer:
    """Stands for what a loop returns for a delayed call, which the test makes itself."""

    def cancel(self):
        pass


async def test_leaving_worker_is_known_by_address(tmp_path):
    one, two, other_two = member("1", "tcp://h:1"), member("2", "tcp://h:2"), member("2", "tcp://h:3")
    activity_log = log_of(tmp_path, {"1", "2"})
    activity_log.note_workers([one, two], restarting=False)
    activity_log.mark_leaving({"tcp://h:1", "tcp://h:2"})
    activity_log.mark_staying({"tcp://h:1"})
    activity_log.note_workers([other_two], restarting=False)
    activity_log.flush()
    assert [entry.message for entry in logs.read_activity(tmp_path / "activity")] == [
        "Worker 1 left unexpectedly; see the log.",
        "Worker 2 left",
        "Worker 2 joined",
    ]


@pytest.mark.full
def test_retired_worker_left_as_expected(site, wait_until):
    model = site.running(name="again", n_workers=2)
    site.control.retire("again", "1", wait=False)
    site.control.patch("again", {"n_workers": 2})
    pids = {worker.pid for worker in model.workers}
    site.wait_for("again", lambda now: now.n_workers == 2 and {worker.pid for worker in now.workers} != pids)
    wait_until(lambda: [entry for entry in story(site, "again") if entry[0] == "worker_joined"])
    assert [message for kind, _, message in story(site, "again") if kind == "worker_left"] == ["Worker 1 left"]


def test_idle_stop_is_announced(site):
    model = site.running(name="idle", idle_timeout_seconds=1)
    site.wait_for("idle", lambda now: now.state.ended)
    stop, stopped = story(site, model.id)[-2:]
    [news] = site.get(model.id).news
    assert (news.kind, news.message) == ("stopped", f"Stopped. {stop[2]}")
    with pytest.raises(ClusterNotFound, match=r"^No running cluster\. The cluster 'idle' was stopped at .*"):
        site.control.find_living()
    assert stop[:2] == ("stop", "idle timer")
    assert stop[2].startswith("Idle for 1 second")
    assert stopped == ("state", None, f"Stopped. {stop[2]}")


def test_missing_cluster_error_names_the_death(site):
    model = site.running(name="killed", n_workers=0)
    psutil.Process(model.pid).kill()
    site.wait_for("killed", lambda now: now.state.ended)
    with pytest.raises(
        ClusterNotFound, match=rf"The cluster 'killed' failed at .*: Its process \(pid {model.pid}\) is gone"
    ):
        site.control.find_living()


def test_requester_cannot_forge_entries(site):
    model = site.running(name="forged")
    forged = 'x","kind":"stop\xe9' + "y" * 500
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(site.registry.folder(model.id).socket))) as client:
        headers = site.headers(model.id, **{BY_HEADER: forged.encode("latin-1")})
        client.post("http://gpucluster/restart", headers=headers).raise_for_status()
    kind, by, _ = story(site, "forged")[-1]
    assert kind == "restart"
    assert len(by) == 80
    assert by.startswith('x","kind":"stop?yyy')


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(1, "1 second"), (90, "90 seconds"), (60, "1 minute"), (150, "2 min 30 s"), (5400, "90 minutes"), (3600, "1 hour"),
     (86400, "24 hours"), (3661, "1 h 1 min")],
)  # fmt: skip
def test_spans_are_whole_numbers_of_their_unit(seconds: int, words: str) -> None:
    assert span(seconds) == words


LINE = "line {:06d} of what a task prints\n"


def bounded(path: Path) -> BoundedLog:
    return BoundedLog(path, most=400_000, first=50_000, last=100_000)


def test_the_first_and_the_last_lines_stay(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = bounded(path)
    wrote, number = 0, 0
    with path.open("a") as file:  # as workers have it
        for _ in range(5):
            for _ in range(20_000):
                wrote += file.write(LINE.format(number))
                number += 1
            file.flush()
            log.shorten()
            assert path.stat().st_size < 160_000
    text = path.read_text()
    begin, omitted, end = re.split(r"\n--- (.+) omitted: .* ---\n", text)
    assert begin.splitlines() == [LINE.format(n).strip() for n in range(len(begin.splitlines()))]
    count = len(end.splitlines())
    assert end.splitlines() == [LINE.format(n).strip() for n in range(number - count, number)]
    assert omitted == format_size(wrote - len(begin) - len(end)) == "3.1 MiB"
    assert tail(path, 2) == end.splitlines()[-2:]


def test_endless_line_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = bounded(path)
    path.write_text("Scheduler at unix://\n")
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    for _ in range(4):
        os.write(descriptor, b"x" * 500_000)
        log.shorten()
        assert path.stat().st_size < 160_000
    os.write(descriptor, b"\nlast words\n")
    os.close(descriptor)
    text = path.read_text()
    assert text.startswith("Scheduler at unix://\nxxx")
    assert text.count(" omitted: ") == 1
    *_, long, last = tail(path, 200)
    assert last == "last words"
    assert set(long) == {"…", " ", "x"}
    assert len(long) == LONGEST_LINE + 2


async def test_log_is_checked_again_soon(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = bounded(path)
    path.write_text("x" * 500_000)
    log.look()
    with path.open("a") as file:
        file.write("y" * 500_000)
    await until_async(lambda: path.stat().st_size <= 400_000)
    assert path.read_text().endswith("y" * 100_000)


def test_a_short_log_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("x" * 400_000)
    bounded(path).shorten()
    assert path.read_text() == "x" * 400_000


def test_repeated_refusals_are_rate_limited() -> None:
    def lines(name: str, level: int, number: int) -> list[str]:
        brake = RateLimit()
        records = [logging.LogRecord(name, level, "x.py", 1, "refused %s", (n,), None) for n in range(number)]
        return [record.getMessage() for record in records if brake.filter(record)]

    for name, level in (("gpucluster.comm", logging.INFO), ("distributed.core", logging.WARNING)):
        logged = lines(name, level, 120)
        assert len(logged) == RateLimit.AT_MOST
        assert logged[-1] == f"refused {RateLimit.AT_MOST - 1} (repeated; not logged for a while)"
    assert lines("distributed.scheduler", logging.INFO, 120) == [f"refused {n}" for n in range(120)]
