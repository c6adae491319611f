"""Messages about events: deaths of workers with reasons, the first spill and pause, what keeps an idle cluster."""

import signal
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from distributed import KilledWorker, wait
from gpucluster.backends.scheduler.view import Member, Members
from gpucluster.client.cluster import Cluster
from gpucluster.client.notebook_client import MORE_MEMORY, Client
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.messages import Message, MessageCode
from gpucluster.protocol.models import WorkerModel
from gpucluster.registry.record import now
from gpucluster.supervisor.activity_log import Death, Marks, WorkerTitles, ended_by, sentence
from gpucluster.supervisor.idle import kept_by
from gpucluster.supervisor.state_store import KEPT, KEPT_OF_INSTRUCTORS, LONGEST, news, with_news


def worker(name: str) -> WorkerModel:
    return WorkerModel(name=name, address=f"tcp://h:{name}", n_threads=1)


KILLED = "was killed (SIGKILL)"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (-signal.SIGKILL, KILLED),
        (-signal.SIGSEGV, "was killed (SIGSEGV)"),
        (-250, "was killed (signal 250)"),
        (1, "exited with status 1"),
        (255, None),
    ],
)
def test_exit_status_meaning(status: int, words: str | None) -> None:
    assert ended_by(status) == words


def test_exit_status_when_the_system_is_out_of_memory() -> None:
    assert ended_by(-signal.SIGKILL, out_of_memory=True) == "was killed by the system: out of memory"
    assert ended_by(-signal.SIGTERM, out_of_memory=True) == "was killed (SIGTERM)"


@pytest.mark.parametrize(
    ("deaths", "text"),
    [
        ([Death(worker("2"), None)], "Worker 2 left unexpectedly; see the log."),
        ([Death(worker("2"), KILLED, 14)], f"Worker 2 {KILLED}. 14 results are being recomputed."),
        ([Death(worker("2"), KILLED, 1)], f"Worker 2 {KILLED}. 1 result is being recomputed."),
        ([Death(worker("1"), "died: other")] * 2, "Worker 1 died: other, 2 times."),
        ([Death(worker(name), KILLED) for name in "0101"], "Workers 0 and 1 were killed (SIGKILL), 4 times in total."),
        (
            [Death(worker("1"), KILLED, 2), Death(worker("2"), KILLED, 3)],
            "Workers 1 and 2 were killed (SIGKILL). 5 results are being recomputed.",
        ),
        (
            [Death(worker("1"), KILLED), Death(worker("2"), "exited with status 1"), Death(worker("3"), None)],
            "Workers 1, 2 and 3 died; 1 of them was killed (SIGKILL).",
        ),
        (
            [Death(worker(name), "ran out of memory (limit 700 MiB)", 8, tasks=("make_big", "sum")) for name in "0123"],
            "4 workers ran out of memory (limit 700 MiB) while running 'make_big' and 'sum'. "
            "32 results are being recomputed.",
        ),
        (
            [Death(worker("1"), "died: XID 79 of its GPU", 3, 1)],
            "Worker 1 died: XID 79 of its GPU. 1 piece of scattered data is lost.",
        ),
        (
            [Death(worker(name), None, n, explained_by_deployment=True) for name, n in (("1", 2), ("2", 0))],
            "Workers 1 and 2 left. 2 results are being recomputed.",
        ),
    ],
)
def test_deaths_are_one_message(deaths: list[Death], text: str) -> None:
    assert sentence(deaths, WorkerTitles().together, recomputing=True) == text
    assert len(text) <= LONGEST


def test_recomputed_results_in_each_tense() -> None:
    for number, texts in {
        1: ("1 result is being recomputed.", "1 result was recomputed.", "1 result to recompute."),
        2: ("2 results are being recomputed.", "2 results were recomputed.", "2 results to recompute."),
    }.items():
        deaths = [Death(worker("2"), "was killed (SIGKILL)", number)]
        for recomputing, text in zip((True, False, None), texts, strict=True):
            shown = sentence(deaths, WorkerTitles().together, recomputing=recomputing)
            assert shown == f"Worker 2 was killed (SIGKILL). {text}"


def test_worker_titles_survive_workers() -> None:
    titles = WorkerTitles()
    seventh, third = (f"GPU-{number}2345678-1234-1234-1234-123456789abc" for number in (1, 2))
    assert titles.together([seventh]) == "GPU-12345678", "before its figures have come"
    titles.note({"workers": (seventh, third, "0"), "device_index": (7, 3, None), "host": ("node1", "node1", "node1")})
    titles.note({"workers": ()})
    lost_gpu = [Death(worker(seventh), "died: XID 79 of its GPU")]
    assert sentence(lost_gpu, titles.together) == "GPU 7 died: XID 79 of its GPU."
    assert titles.together([third, seventh]) == "GPU 7 and GPU 3"
    titles.note({"workers": (seventh, third), "device_index": (7, 3), "host": ("node1", "node2")})
    assert titles.of(third) == "GPU 3 · node2"
    lost = {"workers": (third,), "device_error": ("It is lost.",)}
    assert Marks(titles).look_at(lost, Members()) == [("gpu", "GPU 3 · node2: It is lost.")]


def test_news_are_few_and_short() -> None:
    messages = [Message.of(MessageCode.NOTE, "It stays.")]
    for number in range(KEPT_OF_INSTRUCTORS + 1):
        messages = with_news(messages, news("message", f"{number} " + "x" * 200, "ada"))
    for number in range(KEPT + 2):
        messages = with_news(messages, news("spill", f"{number} " + "x" * 200))
    note, *instructors = messages[: 1 + KEPT_OF_INSTRUCTORS]
    shown = messages[1 + KEPT_OF_INSTRUCTORS :]
    assert note.text == "It stays."
    assert [message.text for message in instructors] == [f"{number} " + "x" * 200 for number in (1, 2, 3)]
    assert len(shown) == KEPT and shown[0].text.startswith("2 ")
    assert all(len(message.text) == LONGEST for message in shown)


def paused(name: str, *, is_paused: bool = True) -> Member:
    return Member(name, f"tcp://h:{name}", None, 1, None, True, False, False, is_paused)


def test_first_spill_and_pause_are_marked_once() -> None:
    marks = Marks(WorkerTitles())
    fine = {"workers": ("0", "1"), "tier_disk_bytes": (0, None), "tier_host_bytes": (5, 5)}
    spilled = {**fine, "tier_disk_bytes": (0, 2**30)}
    assert marks.look_at(fine, Members((paused("0", is_paused=False),))) == []
    assert marks.look_at(spilled, Members()) == [
        ("spill", "Worker 1 spills, as its memory fills up: 1 GiB of results are on disk.")
    ]
    assert marks.look_at(spilled, Members()) == []
    [(kind, message)] = marks.look_at(spilled, Members((paused("1"),)))
    assert (kind, message.startswith("Worker 1 is paused and starts no new tasks")) == ("pause", True)
    assert marks.look_at(spilled, Members((paused("1"),))) == []
    marks.forget()
    assert [kind for kind, _ in marks.look_at(spilled, Members((paused("1"),)))] == ["spill", "pause"]
    marks.forget()
    full = replace(paused("1"), spills_no_more=True)
    assert marks.look_at(fine, Members((full,)))[0][1].endswith("does not fit in its share of the scratch limit.")


def test_silent_worker_is_reported_once() -> None:
    marks = Marks(WorkerTitles())
    columns = {"workers": ("0", "1"), "age_seconds": (0.5, 31.0)}
    hangs = "Worker 1 has not responded for 30 s: it hangs, or a task holds the GIL."
    assert marks.look_at(columns, Members()) == [("pause", hangs)]
    assert marks.look_at(columns, Members()) == []
    assert marks.look_at({**columns, "age_seconds": (0.5, 0.5)}, Members()) == []
    assert marks.look_at(columns, Members()) == [("pause", hangs)]


def test_gpu_spill_and_loss_are_marked() -> None:
    marks = Marks(WorkerTitles())
    columns = {"workers": ("a",), "device": ("GPU-1",), "tier_host_bytes": (2**30,), "device_error": ("It is lost.",)}
    assert marks.look_at(columns, Members()) == [
        ("spill", "Worker a spills, as the GPU's memory fills up: 1 GiB of results are in host memory."),
        ("gpu", "Worker a: It is lost."),
    ]
    assert marks.look_at(columns, Members()) == []
    marks.look_at({**columns, "device_error": (None,)}, Members())
    assert [kind for kind, _ in marks.look_at(columns, Members())] == ["gpu"]


@pytest.mark.parametrize(
    ("members", "queue", "words"),
    [
        (Members(), False, None),
        (Members(), True, "workers wait in a queue"),
        (Members(n_clients=1), False, "kept by 1 client"),
        (Members(n_clients=2, kernels=("a", "b")), False, "kept by 2 notebooks"),
        (Members(n_clients=2, kernels=("a",)), False, "kept by 2 clients"),
        (Members(n_clients=1, n_held=3), False, "holds 3 results"),
        (Members(n_clients=1, n_queued=11_204), False, "11,204 tasks wait for a worker"),
    ],
)
def test_reason_that_keeps_idle_cluster(members: Members, queue: bool, words: str | None) -> None:
    assert kept_by(members, waits_in_queue=queue) == words


def test_old_death_explains_no_failure() -> None:
    for at, notes in ((now(), ["Worker 0 was killed (SIGSEGV)."]), ("2026-01-01T10:00:00.000Z", None)):
        died = Message.of(MessageCode.WORKER_DIED, "Worker 0 was killed (SIGSEGV).", time=at)
        error = KilledWorker("task", None, 3)
        Client._add_cause(SimpleNamespace(_model=lambda died=died: SimpleNamespace(said=lambda *_: [died])), error)
        assert getattr(error, "__notes__", None) == notes


def test_cluster_reports_events(site, wait_until, tmp_path):
    model = site.running(name="told", n_workers=1, memory_limit="400 MiB")
    cluster = Cluster(model, site.control.asynchronous)
    with cluster.get_client() as client:
        wait_until(lambda: site.get("told").idle.kept_by == "kept by 1 client")
        held = client.submit(np.ones, 10, pure=False)
        wait(held)
        wait_until(lambda: site.get("told").idle.kept_by == "holds 1 result")
        assert site.get("told").idle.quiet_since is not None
        with pytest.raises(InvalidRequest, match="futures: must be a future"):
            cluster.notify([])
        cluster.notify([held, client.submit(divmod, 1, 0, pure=False)], title="Two numbers")
        wait_until(lambda: [entry.kind for entry in site.get("told").news] == ["not_done"])
        [done] = site.get("told").news
        assert done.message.startswith("Two numbers: ended after ")
        assert done.message.endswith(" s, 1 failed of 2 tasks.")
        # A worker that exceeds its memory limit is ended by its nanny, and its results are recomputed.
        assert client.submit(_use_too_much, tmp_path / "was here", pure=False).result(120) == "again"
        # It says "is being recomputed" before.
        wait_until(lambda: any(entry.message.endswith("was recomputed.") for entry in site.get("told").news))
        [died] = [entry.message for entry in site.get("told").news if entry.kind == "worker_died"]
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
        with pytest.raises(KilledWorker) as killed:
            client.submit(_fill_memory, pure=False).result(120)
    assert killed.value.__notes__[0].startswith("Worker 0 ran out of memory (limit 400 MiB)")
    assert killed.value.__notes__[1:] == [MORE_MEMORY]
    assert died == ("Worker 0 ran out of memory (limit 400 MiB) while running 'use_too_much'. 1 result was recomputed.")


def _use_too_much(mark: Path) -> str:
    if mark.exists():
        return "again"
    mark.touch()
    return _fill_memory()


def _fill_memory() -> str:
    block = np.ones(60_000_000)
    time.sleep(600)
    return str(block)
