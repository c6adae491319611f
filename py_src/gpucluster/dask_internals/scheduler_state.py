"""The state of a scheduler: clients, work, transitions, events; and operations from within its process."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

_OF_A_WORKER = re.compile(r"Client-worker-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
RELEASED = "released"  # Why a client's futures are cancelled, in Dask's errors.
_RESTART_LOOK_SECONDS = 0.1
_KERNEL = re.compile(r"-kernel-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})-")


def client_names(scheduler: Any) -> list[str]:
    """Return the ids of the connected clients: those of ``Scheduler.clients`` that have a connection.

    distributed creates others for results that are held without a connection: by ``fire_and_forget``, and each
    ``Variable``, ``Queue`` and published dataset. Relies on ``Scheduler.client_comms``, a dictionary by id (2021.1).
    """
    return [name for name in scheduler.clients if name in scheduler.client_comms]


def clients_of_people(scheduler: Any) -> list[str]:
    """Return the ids of the clients that no worker has made for its tasks: those of ``client_names``."""
    return [name for name in client_names(scheduler) if not is_of_a_worker(name)]


def is_of_a_worker(client: str) -> bool:
    """Whether a worker has made the client of this id for its tasks: ``Client(name="worker")`` (2021.1)."""
    return _OF_A_WORKER.fullmatch(client) is not None


def name_for_kernel(kernel_id: str) -> str:
    """Return the name of a client from which ``kernels_of`` gets its Jupyter kernel."""
    return f"kernel-{kernel_id}"


def kernels_of(scheduler: Any) -> list[str]:
    """Return the ids of the Jupyter kernels that have a client: ``Client(name=)`` becomes a part of its id (2021.1)."""
    found = (kernel_of(name) for name in client_names(scheduler))
    return sorted({kernel for kernel in found if kernel is not None})


def has_work(scheduler: Any) -> bool:
    """Whether any task runs, waits for a worker, or could run if there were workers.

    Relies on ``Scheduler.unrunnable`` (2021.1), ``Scheduler.queued`` (2022.11) and the same as ``is_computing``.
    """
    return bool(scheduler.unrunnable or scheduler.queued or is_computing(scheduler))


def bytes_kept_for(scheduler: Any, client: str) -> int:
    """Return the bytes of the results in memory that one client wants: ``ClientState.wants_what`` (2021.1)."""
    known = scheduler.clients.get(client)
    tasks = list(known.wants_what) if known is not None else []
    return sum(max(0, task.nbytes) for task in tasks if task.state == "memory")


def n_wanted_results(scheduler: Any) -> int:
    """Return how many results clients hold, counted once per client; failed tasks have none.

    Relies on ``ClientState.wants_what``, ``TaskState.state`` and ``TaskPrefix.states``.
    """
    held = [scheduler.clients[name].wants_what for name in client_names(scheduler)]
    if not any(prefix.states.get("erred") for prefix in scheduler.task_prefixes.values()):
        return sum(map(len, held))  # This is called often, and there may be a hundred thousand.
    return sum(task.state != "erred" for tasks in held for task in tasks)


def n_without_worker(scheduler: Any) -> int:
    """Return how many tasks could run but have no worker: ``Scheduler.queued`` (2022.11) and ``unrunnable``."""
    return len(scheduler.queued) + len(scheduler.unrunnable)


def is_computing(scheduler: Any) -> bool:
    """Whether any task is on a worker: ``WorkerState.processing`` (2021.1)."""
    return any(worker.processing for worker in scheduler.workers.values())


# -- kinds of tasks ----------------------------------------------------------------------------------


def prefixes(scheduler: Any) -> Mapping[str, Any]:
    """Return all kinds of tasks ever seen by name, oldest first; the ``states`` of a kind count its tasks by state.

    Relies on ``Scheduler.task_prefixes`` and ``TaskPrefix.states`` (2021.1). It is Dask's own: there may be very many.
    """
    return scheduler.task_prefixes


def n_unfinished(scheduler: Any, states: Collection[str]) -> int:
    """Return how many tasks are in one of these states: ``TaskPrefix.states`` of ``Scheduler.task_prefixes``."""
    return sum(prefix.states.get(state, 0) for prefix in scheduler.task_prefixes.values() for state in set(states))


def n_copies(scheduler: Any) -> int:
    """Return how many copies of results there are beside the first: ``Scheduler.replicated_tasks`` (2021.12)."""
    return sum(len(task.who_has or ()) - 1 for task in scheduler.replicated_tasks)


def prefix_of(scheduler: Any, key: Any) -> str:
    """Return the kind of a task, or its key where the scheduler has forgotten it: ``TaskState.prefix`` (2021.1)."""
    state = scheduler.tasks.get(key)
    return str(state.prefix.name) if state is not None and state.prefix is not None else str(key)


# -- transitions -------------------------------------------------------------------------------------


def n_transitions(scheduler: Any) -> int:
    """Return the number of changes of state so far: ``Scheduler.transition_counter`` (2021.8)."""
    return int(scheduler.transition_counter)


def transitions_since(scheduler: Any, before: int) -> list[tuple[str, str, str]]:
    """Return key, previous and new state of the entries that the log still has after the first ``before``.

    Relies on ``Scheduler.transition_log``, whose entries begin with these three (2021.8).
    """
    new = n_transitions(scheduler) - before
    log = list(scheduler.transition_log)[-new:] if new > 0 else []
    return [(str(entry[0]), str(entry[1]), str(entry[2])) for entry in log]


def transition_facts(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a scheduler passes to its plugins about an ended task, beside the documented arguments.

    Relies on the keyword arguments of ``SchedulerPlugin.transition`` from ``processing`` to ``memory`` or ``erred``:
    ``startstops`` (steps with ``start``, ``stop``, ``action``), ``nbytes``, ``worker``, ``thread`` and
    ``exception_text`` (2021.8).
    """
    return {
        "steps": [(step["action"], step["start"], step["stop"]) for step in kwargs.get("startstops") or ()],
        "n_bytes": kwargs.get("nbytes") or 0,
        "worker": kwargs.get("worker") or "",
        "thread": kwargs.get("thread") or 0,
        "exception": str(kwargs.get("exception_text") or ""),
    }


# -- workers -----------------------------------------------------------------------------------------


def left_on_purpose(scheduler: Any, address: str) -> bool:
    """Whether a worker that is gone closed or was retired, and did not die.

    Relies on the events that the scheduler logs under a worker's address: dictionaries with ``expected`` when it is
    removed (2024.8), or with a ``status`` that begins with ``closing`` (2021.12).
    """
    return any(
        event.get("expected") is True or str(event.get("status", "")).startswith("closing")
        for event in _events(scheduler, address)
    )


def left_behind(scheduler: Any, address: str) -> tuple[set[Any], set[Any], list[str]]:
    """Return the keys of results that only a gone worker had, those of lost data, and the kinds of tasks that it had.

    The kinds are sorted, the most frequent first. Relies on the event that the scheduler logs under the worker's
    address, with ``action`` ``remove-worker``, and its ``lost-computed-tasks``, ``lost-scattered-tasks`` and
    ``processing-tasks`` (2024.8).
    """
    from dask.utils import key_split

    removed = [{}, *(event for event in _events(scheduler, address) if event.get("action") == "remove-worker")][-1]
    computed, scattered = (set(removed.get(f"lost-{kind}-tasks", ())) for kind in ("computed", "scattered"))
    had = Counter(map(key_split, removed.get("processing-tasks", ())))
    return computed, scattered, [name for name, _ in had.most_common()]


def was_too_big(scheduler: Any, address: str) -> bool:
    """Whether a nanny ended this worker because it used more memory than its limit.

    Relies on the topic ``worker-restart-memory``, with the address as ``worker`` (2023.2).
    """
    return any(event.get("worker") == address for event in _events(scheduler, "worker-restart-memory"))


def _events(scheduler: Any, topic: str) -> list[dict[str, Any]]:
    return [event for _, event in scheduler.get_events(topic) or () if isinstance(event, dict)]


_PENDING = frozenset({"waiting", "queued", "no-worker", "processing"})


def still_missing(scheduler: Any, keys: Collection[Any]) -> set[Any]:
    """Return which of these results are not computed yet but will be: ``TaskState.state`` (2022.11)."""
    tasks = scheduler.tasks
    return {key for key in keys if key in tasks and tasks[key].state in _PENDING}


def only_for(scheduler: Any, keys: Collection[Any], others: Collection[Any]) -> set[Any]:
    """Return the tasks that no client wants and that one of the others, still to be computed, depends on.

    Relies on ``TaskState`` with ``who_wants``, ``dependencies`` and ``state`` (2022.11).
    """
    tasks = scheduler.tasks
    found = {key for key in keys if not tasks[key].who_wants}
    if not found:
        return set()
    beneath, ahead = set(), [tasks[key] for key in others]
    while ahead:
        for task in ahead.pop().dependencies:
            if task.key not in beneath and task.state in _PENDING:
                beneath.add(task.key)
                ahead.append(task)
    return found & beneath


def group_of_lost(scheduler: Any, key: Any) -> Any:
    """Return the group of a task that the scheduler has just forgotten, if others of it are left.

    Relies on ``Scheduler.task_groups`` and ``distributed.utils.key_split_group`` (2021.1).
    """
    from distributed.utils import key_split_group

    return scheduler.task_groups.get(key_split_group(key))


# -- failures and results ----------------------------------------------------------------------------


def own_failure(scheduler: Any, key: Any) -> dict[str, Any] | None:
    """Return why a task itself has failed; ``None`` if it has not, or is forgotten.

    Relies on ``TaskState`` with ``state``, ``exception_blame``, ``exception_text``, ``traceback_text`` (2021.8) and
    ``erred_on`` (2022.3), and on a task that is given up because its workers died having no text (2021.8).
    """
    task = scheduler.tasks.get(key)
    if task is None or task.state != "erred" or task.exception_blame is not task:
        return None
    worker = next(iter(task.erred_on or ()), None)
    known = scheduler.workers.get(worker)
    text = task.exception_text or f"{task.suspicious} workers died while running it (KilledWorker)"
    return {
        "task": task.prefix.name,
        "key": str(key),
        "error": text,
        "traceback": task.traceback_text or "",
        "worker": None if known is None else str(known.name),
    }


def results_of(worker: Any) -> Iterator[tuple[str, str, int, str, tuple[str, ...]]]:
    """Yield group, kind, bytes, type and clients of each result on a worker.

    Tasks of one collection are a group, and so are single tasks of one kind. Relies on ``TaskState`` with ``group``,
    ``nbytes``, ``type``, ``who_wants``, a set of clients or ``None`` (2024.2), and on ``TaskGroup`` with ``name`` and
    ``prefix`` (2021.1).
    """
    for task in list(worker.has_what):
        group = task.group
        clients = tuple(client.client_key for client in task.who_wants) if task.who_wants else ()
        yield group.name, group.prefix.name, max(0, task.nbytes), task.type or "", clients


def clients_of_kernel(scheduler: Any, kernel: str) -> list[str]:
    """Return the ids of the clients of a Jupyter kernel: see ``kernels_of``."""
    return [name for name in client_names(scheduler) if kernel_of(name) == kernel]


def kernel_of(client: str) -> str | None:
    """Return the id of the Jupyter kernel that a client is of, if any: see ``kernels_of``."""
    found = _KERNEL.search(client)
    return None if found is None else found[1]


def release_results(scheduler: Any, client: str, group: str, why: str) -> int:
    """Release the results of a group that a client holds; its futures are cancelled. Returns how many.

    Relies on ``ClientState.wants_what``, ``Scheduler.client_releases_keys(keys, client)`` and on clients cancelling
    their futures at a message ``cancelled-keys`` by ``Scheduler.report`` (2024.8).
    """
    keys = [task.key for task in list(scheduler.clients[client].wants_what) if task.group.name == group]
    if keys:
        scheduler.client_releases_keys(keys=keys, client=client)
        scheduler.report({"op": "cancelled-keys", "keys": keys, "reason": RELEASED, "msg": why}, client=client)
    return len(keys)


async def retire(scheduler: Any, names: Collection[Any]) -> set[str]:
    """Move the results of workers to the others, close the empty ones, and return their addresses.

    By name: distributed's own ``SpecCluster`` passes names instead of addresses, so that nothing is moved there.
    Relies on ``Scheduler.retire_workers(names=…)`` answering with a dictionary by address (2021.1).
    """
    return set(await scheduler.retire_workers(names=list(names), close_workers=True, remove=True))


def cancel_retiring(scheduler: Any, addresses: Collection[str]) -> None:
    """Let distributed end what ``retire`` began, as it does when no worker takes the results: the workers run again.

    If the user has switched its active memory manager off, distributed uses another that cannot be reached from here;
    then retiring continues to its end, as a worker left in ``closing_gracefully`` would take no task again. Relies on
    ``Scheduler.extensions["amm"]`` with the set ``policies``, and on ``RetireWorker`` with ``address`` and
    ``no_recipients`` (2022.2).
    """
    from distributed.active_memory_manager import RetireWorker

    manager = scheduler.extensions.get("amm")
    if manager is None:
        return
    for policy in list(manager.policies):
        if isinstance(policy, RetireWorker) and policy.address in addresses:
            policy.no_recipients = True
            manager.policies.remove(policy)


async def remove_worker_named(scheduler: Any, name: str, *, close: bool) -> None:
    """Remove a worker without blaming its tasks: ``Scheduler.remove_worker`` (2022.11).

    `name`: nothing happens if no worker has this name. `close`: whether to let the worker and its nanny end.
    """
    address = next((worker.address for worker in scheduler.workers.values() if str(worker.name) == name), None)
    if address is not None:
        await scheduler.remove_worker(address, stimulus_id=f"gpucluster-{name}", expected=True, close=close)


async def restart_workers(scheduler: Any, *, timeout: float) -> None:
    """Restart all workers and forget all tasks, from within the scheduler's process.

    Relies on ``Scheduler.restart(stimulus_id=…, timeout=…, wait_for_workers=True)`` (2024.8), which raises
    ``TimeoutError``. It counts an old worker whose connection still exists as one that has come back, so it may return
    too early.
    """
    deadline = time.monotonic() + timeout
    old = set(scheduler.workers)
    await scheduler.restart(stimulus_id="gpucluster-restart", timeout=timeout, wait_for_workers=True)
    if old.isdisjoint(scheduler.workers):
        return
    while not old.isdisjoint(scheduler.workers) or len(scheduler.workers) < len(old):
        if time.monotonic() > deadline:
            raise TimeoutError
        await asyncio.sleep(_RESTART_LOOK_SECONDS)


# -- plugins and settings ----------------------------------------------------------------------------


async def give_worker_plugin(scheduler: Any, pickled: bytes, name: str) -> None:
    """Register a pickled plugin, also on later workers: ``Scheduler.register_worker_plugin`` (2023.9)."""
    await scheduler.register_worker_plugin(comm=None, plugin=pickled, name=name, idempotent=False)


async def give_worker_plugin_elsewhere(client: Any, pickled: bytes, name: str) -> None:
    """Do the same elsewhere: ``Client.scheduler`` calls the handler ``register_worker_plugin`` (2023.9)."""
    await client.scheduler.register_worker_plugin(plugin=pickled, name=name, idempotent=False)


def forget_worker(scheduler: Any, name: str) -> None:
    """Remove an unreachable worker, by name as a nanny changes its address: ``Scheduler.remove_worker`` (2024.2)."""
    for address in [worker.address for worker in scheduler.workers.values() if str(worker.name) == name]:
        gone = scheduler.remove_worker(address, stimulus_id=f"gpucluster-lost-{time.time()}", close=False)
        task = asyncio.ensure_future(gone)
        _tasks.add(task)
        task.add_done_callback(_tasks.discard)


_tasks: set[asyncio.Future[Any]] = set()  # asyncio itself keeps only weak references.


async def take_worker_plugin_elsewhere(client: Any, name: str, *, seconds: float) -> None:
    """Undo ``give_worker_plugin_elsewhere``, by the scheduler's handler ``unregister_worker_plugin`` (2021.8)."""
    await asyncio.wait_for(client.scheduler.unregister_worker_plugin(name=name), seconds)


async def take_worker_plugin(scheduler: Any, name: str) -> None:
    """Undo ``give_worker_plugin``: ``Scheduler.worker_plugins``, ``Scheduler.unregister_worker_plugin`` (2021.8)."""
    if name in scheduler.worker_plugins:
        await scheduler.unregister_worker_plugin(None, name)


def remove_plugin(scheduler: Any, name: str) -> None:
    """Remove a plugin from the scheduler, if present, without its ``close``: ``Scheduler.plugins`` (2021.8)."""
    scheduler.plugins.pop(name, None)


def allowed_failures(scheduler: Any) -> int:
    """Return the number of worker deaths after which a task is given up: ``Scheduler.allowed_failures`` (2021.1)."""
    return int(scheduler.allowed_failures)


def set_allowed_failures(scheduler: Any, number: int) -> None:
    """Change ``allowed_failures``."""
    scheduler.allowed_failures = number


async def target_elsewhere(client: Any, seconds: float) -> int:
    """Return how many workers do all work in that time: handler ``adaptive_target(target_duration=)`` (2022.1)."""
    return int(await client.scheduler.adaptive_target(target_duration=seconds))


async def to_close_elsewhere(client: Any, count: int, key: bytes | None = None) -> list[str]:
    """Return the names of the least needed workers; ``key`` is a pickled function that groups them.

    Relies on the handler ``workers_to_close(n=, attribute=, key=)`` (2021.1).
    """
    found = await client.scheduler.workers_to_close(n=count, attribute="name", key=key)
    return [str(name) for name in found]


async def forget_worker_elsewhere(client: Any, address: str) -> None:
    """Remove a worker whose machine is gone, before the scheduler itself notices; its tasks are not blamed.

    Relies on the handler ``unregister(address=, stimulus_id=, expected=, close=)`` (2022.11).
    """
    await client.scheduler.unregister(address=address, stimulus_id="gpucluster-gone", expected=True, close=False)


def figures(metrics: Mapping[str, Any]) -> dict[str, int | float | None]:
    """Return the figures that a worker reports without gpucluster; None for missing ones.

    Relies on ``WorkerState.metrics`` with ``task_counts`` and ``spilled_bytes`` (dictionaries), ``cpu`` and ``memory``;
    with a GPU ``gpu_memory_used``, ``gpu-memory-total`` and ``gpu_utilization``; with RMM the dictionary ``rmm`` with
    ``rmm-used`` and ``rmm-total`` (2023.4).
    """
    tasks, spilled, rmm = (_part(metrics, name) for name in ("task_counts", "spilled_bytes", "rmm"))
    return {
        "executing": _number(tasks, "executing"),
        "cpu_percent": _number(metrics, "cpu"),
        "memory_bytes": _number(metrics, "memory"),
        "spilled_bytes": _number(spilled, "disk"),
        "gpu_total_bytes": _number(metrics, "gpu-memory-total"),
        "gpu_used_bytes": _number(metrics, "gpu_memory_used"),
        "gpu_utilization_percent": _number(metrics, "gpu_utilization"),
        "rmm_pool_bytes": _number(rmm, "rmm-total"),
        "rmm_used_bytes": _number(rmm, "rmm-used"),
    }


def _part(metrics: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = metrics.get(key)
    return part if isinstance(part, Mapping) else {}


def _number(metrics: Mapping[str, Any], key: str) -> int | float | None:
    value = metrics.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None
