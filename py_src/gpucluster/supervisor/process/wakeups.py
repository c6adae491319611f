"""Wake the supervisor of an idle cluster less often.

distributed wakes up for each server, and every worker's nanny is one: 50 times a second to check the event loop's
latency, ten times to measure the worker's memory, twice to measure this process and this host. All servers here share
one process, one event loop and one host, so once is enough. With eight workers this is most of what an idle supervisor
does. The rest is heartbeats: workers send fewer while no one watches and nothing is computed.
"""

from __future__ import annotations

from ...dask_internals.periodic_callbacks import (
    leave_out_for_nannies,
    set_shortest_heartbeat,
    slow_down_schedulers,
    watch_small_workers_less,
)

PROFILE_INTERVAL = "50ms"
"""How often a worker samples what its threads compute; distributed does so every 10 ms, for 1 to 2 % of a core."""
TICK_INTERVAL = "1s"  # How often the latency of event loops is checked; they complain from three seconds on.
SHORTEST_HEARTBEAT_SECONDS = 1.0  # distributed: half a second for up to ten workers, more from one second on.
RESTING_HEARTBEAT_SECONDS = 3.0  # While the cluster is neither watched nor used: distributed's value for 400 workers.
MEMORY_SECONDS_WHEN_EMPTY = 0.5
"""How often the nanny checks a worker that uses less than half its memory; above, as often as is configured."""
MEMORY_SECONDS_WHEN_RESTING = 2.0
SCHEDULER_SECONDS = {"monitor": 2.0, "ticks": 5.0, "idle-timeout": 5.0, "no-workers-timeout": 5.0}
"""The last two do nothing until a timeout is configured, four times a second."""
NOT_FOR_NANNIES = ("monitor", "tick", "ticks", "shift_counters")
"""The last one divides counters into intervals, which nothing reads of a nanny."""


_rests = False


def rest(resting: bool) -> None:
    """Set whether the cluster of this process is neither watched nor used."""
    global _rests
    _rests = resting


def heartbeat_seconds() -> float:
    return RESTING_HEARTBEAT_SECONDS if _rests else SHORTEST_HEARTBEAT_SECONDS


def reduce_wakeups() -> None:
    """Change distributed in this process, and its configuration, which workers inherit. Once is enough."""
    import dask

    set_shortest_heartbeat(heartbeat_seconds)
    # After the import of distributed, which sets defaults. What a site has chosen stays.
    if dask.config.get("distributed.admin.tick.interval") == "20ms":
        dask.config.set({"distributed.admin.tick.interval": TICK_INTERVAL})
    if dask.config.get("distributed.worker.profile.interval") == "10ms":
        dask.config.set({"distributed.worker.profile.interval": PROFILE_INTERVAL})
    leave_out_for_nannies(NOT_FOR_NANNIES)
    slow_down_schedulers(SCHEDULER_SECONDS)
    watch_small_workers_less(lambda: MEMORY_SECONDS_WHEN_RESTING if _rests else MEMORY_SECONDS_WHEN_EMPTY)
