"""The checks of lesson 11."""

from __future__ import annotations

import shlex
from collections.abc import Set
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...answers import number, several
from ...checks import exercise
from ...examination import Examination, Halt, describe
from .options import REMOVED, command_problems
from .simulations import ALIGNMENT, LANES, Buffer, Event, OutOfDeviceMemory, Pool, run_warps

# The inside of a pool: best fit, merging, and what it can still grant.


Free = list[tuple[int, int]]
_BEST = "It uses the start of the smallest free block that is large enough"
_REST = "The remainder stays free, and all other blocks are unchanged"
_NONE = "If nothing fits, start is None and the free blocks are unchanged"
_BACK = "Freed memory merges with its free neighbours, in address order"


@exercise("11.10", "order")
def check_steps(exam: Examination, order: Any) -> None:
    """Any order in which each step comes after those it needs."""
    from ...study.ordering import check_order

    check_order(exam, "11.10", order)


@exercise("11.3", "take", "give_back")
def check_pool(exam: Examination, take: Any, give_back: Any) -> None:
    """In step with a pool that follows RMM's rules: 40 random requests in each of 12 pools."""
    for number_ in range(12):
        # Sizes of few kinds, so that blocks of equal size come up; and any, so that rounding up matters.
        kinds = exam.rng.integers(1, 12, 4) * ALIGNMENT if number_ % 2 else exam.rng.integers(1, 3000, 4)
        pool = Pool(int(exam.rng.integers(16, 48)) * ALIGNMENT, None)
        pool.maximum = pool.pool_size()
        asked: dict[int, int] = {}
        free: Free = _blocks(pool)
        for _ in range(40):
            size = int(exam.rng.choice(kinds))
            if asked and exam.rng.random() < 0.45:
                address = int(exam.rng.choice(list(asked)))
                size = asked.pop(address)
                pool.deallocate(address, size)
                found = _free(exam, exam.call(give_back, list(free), address, size), "give_back returns")
                exam.expect(
                    _BACK, found == _blocks(pool), _compared(found, _blocks(pool), f"{size} bytes at {address}")
                )
            else:
                found = _taken(exam, take, free, size, pool, asked)
            if not exam.passed:
                return
            free = _blocks(pool)
    for _ in range(6):
        _expect_lowest_of_equals(exam, take)


def _expect_lowest_of_equals(exam: Examination, take: Any) -> None:
    """Blocks of two sizes, several of each: the first of the right size is taken."""
    small = int(exam.rng.integers(1, 8)) * ALIGNMENT
    sizes = [int(size) for size in exam.rng.permutation([small] * 3 + [2 * small] * 3)]
    free = [(place * 4 * small, size) for place, size in enumerate(sizes)]
    wanted = int(exam.rng.choice([small, 2 * small]))
    start, _ = several(exam, exam.call(take, list(free), wanted), "start", "free")
    true = next(start for start, size in free if size == wanted)
    exam.expect(
        "Of several equally small blocks, it takes the one with the lowest address",
        start is not None and int(start) == true,
        f"at {start} for {wanted} bytes; free: {_shown(free)}",
    )


def _taken(exam: Examination, take: Any, free: Free, size: int, pool: Pool, asked: dict[int, int]) -> Free:
    true: int | None = None
    with suppress(OutOfDeviceMemory):
        asked[true := pool.allocate(size)] = size
    result = exam.call(take, list(free), size)
    right = isinstance(result, (tuple, list)) and len(result) == 2
    exam.require("take returns two things: start and free", right, describe(result))
    start, left = result
    found = _free(exam, left, "The second thing that take returns")
    if true is None:
        exam.expect(
            _NONE, start is None and found == free, f"start {start!r} for {size} bytes, and {len(found)} blocks"
        )
        return found
    exam.require("start is None only where nothing fits", start is not None, f"{size} bytes, free: {_shown(free)}")
    place = int(number(exam, start, "start"))
    wrong = "" if place == true else f", not {true}; free: {_shown(free)}"
    exam.expect(_BEST, place == true, f"at {place} for {size} bytes{wrong}")
    if place == true:
        exam.expect(_REST, found == _blocks(pool), _compared(found, _blocks(pool), f"{size} bytes taken at {place}"))
    return found


def _blocks(pool: Pool) -> Free:
    return [(block.address, block.size) for block in pool.free]


def _free(exam: Examination, value: Any, what: str) -> Free:
    """Return a list of free blocks as pairs of whole numbers."""
    try:
        pairs = [(int(start), int(size)) for start, size in value]
    except (TypeError, ValueError):
        exam.require(f"{what} is a list of pairs (start, size)", False, describe(value))
        raise Halt from None
    return pairs


def _shown(free: Free) -> str:
    return ", ".join(map(str, free[:6])) + (" …" if len(free) > 6 else "")


def _compared(found: Free, true: Free, what: str) -> str:
    return f"{what}: right" if found == true else f"{what}: {_shown(found)} instead of {_shown(true)}"


def random_free(rng: np.random.Generator, *, unmerged: bool = False) -> tuple[Free, int, int]:
    """Return free blocks, the size of the pool and its maximum; neighbours that do not merge come from the card."""
    place, free = 0, []
    for _ in range(int(rng.integers(0, 9))):
        place += 0 if unmerged and rng.random() < 0.3 else int(rng.integers(1, 50)) * ALIGNMENT
        size = int(rng.integers(1, 200)) * ALIGNMENT
        free.append((place, size))
        place += size
    pool = place + int(rng.integers(1, 50)) * ALIGNMENT
    more = int(rng.choice([0, 0, int(rng.integers(1, 20)), int(rng.integers(100, 800))])) * ALIGNMENT
    return free, pool, pool + more


@exercise("11.4", "largest_request")
def check_largest(exam: Examination, largest_request: Any) -> None:
    """The largest request that is granted, and the share of the free memory that it cannot use."""
    for turn in range(60):
        free, pool, maximum = random_free(exam.rng, unmerged=turn % 3 == 0)
        result = several(exam, exam.call(largest_request, list(free), pool, maximum), "largest", "fragmentation")
        largest, fragmentation = (number(exam, value, "Each of the two") for value in result)
        block, total = max((size for _, size in free), default=0), sum(size for _, size in free)
        true = max(block, maximum - pool)
        what = f"free blocks: {len(free)}, the largest {block:,}, and {maximum - pool:,} bytes to grow by"
        name = "A pool that may still grow" if maximum > pool else "A pool that is as large as it may be"
        exam.expect(f"{name}: the largest request that succeeds", largest == true,
                    f"{largest:,.0f}; {what}" + ("" if largest == true else f": {true:,} is right"))  # fmt: skip
        share = 1 - block / total if total else 0.0
        good = abs(fragmentation - share) < 1e-9
        exam.expect("The fragmentation is the fraction of free bytes outside the largest free block", good,
                    f"{fragmentation:.4f}" + ("" if good else f" instead of {share:.4f}, {what}"))  # fmt: skip


# Counting: what a tracer of allocations knows.


NAMES = ("current_bytes", "current_count", "peak_bytes", "peak_count", "total_bytes", "total_count")


def random_events(rng: np.random.Generator, n_events: int) -> list[Event]:
    """Return requests in which names come again, and some memory is never given back."""
    live: list[str] = []
    names = [f"array {number}" for number in range(max(2, n_events // 3))]
    events: list[Event] = []
    sizes: dict[str, int] = {}
    while len(events) < n_events:
        unused = [name for name in names if name not in live]
        if unused and (not live or rng.random() < 0.55):
            name = str(rng.choice(unused))
            sizes[name] = int(rng.integers(0, 10_000)) if rng.random() < 0.9 else int(rng.integers(10**6, 10**9))
            live.append(name)
            events.append(("allocate", name, sizes[name]))
        else:
            name = live.pop(int(rng.integers(len(live))))
            events.append(("free", name))
    return events


def true_statistics(events: list[Event]) -> dict[str, int]:
    """Return the six numbers."""
    live: dict[str, int] = {}
    found = dict.fromkeys(NAMES, 0)
    for action, name, *size in events:
        if action == "allocate":
            live[name] = size[0]
            found["total_bytes"] += size[0]
            found["total_count"] += 1
        else:
            del live[name]
        found["peak_bytes"] = max(found["peak_bytes"], sum(live.values()))
        found["peak_count"] = max(found["peak_count"], len(live))
    return {**found, "current_bytes": sum(live.values()), "current_count": len(live)}


@exercise("11.2", "statistics")
def check_statistics(exam: Examination, statistics: Any) -> None:
    """The six numbers are right for random traces: long ones, such that free nothing, and the empty one."""
    traces = [random_events(exam.rng, int(exam.rng.integers(3, 60))) for _ in range(30)]
    traces.append([("allocate", f"block {number}", int(exam.rng.integers(1, 999))) for number in range(7)])
    traces.append([])
    for events in traces:
        found = exam.call(statistics, list(events))
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        missing = [name for name in NAMES if name not in found]
        exam.require("It has the six entries", not missing, f"without {', '.join(missing)}")
        true = true_statistics(events)
        for name in NAMES:
            value = number(exam, found[name], name)
            what = f"{value:,.0f} after {len(events)} events" + ("" if value == true[name] else f", not {true[name]:,}")
            exam.expect(f"{name} is right", value == true[name], what)


# Options: an old command line becomes one that dask-cuda takes today.


_WITH_VALUES = {
    "--protocol": ("tcp", "ucx"),
    "--memory-limit": ("64GB", "0.5", "auto"),
    "--device-memory-limit": ("0.8", "24GB"),
    "--rmm-maximum-pool-size": ("38GB", "0.9"),
    "--local-directory": ("/scratch/me", "/local/dask"),
    "--nthreads": ("1", "2"),
    "--name": ("left", "rmm-async", "jit-unspill"),
    "--interface": ("ib0", "eth0"),
}
_FLAGS = ("--enable-cudf-spill", "--rmm-track-allocations", "--no-dashboard", "--enable-infiniband")


def random_command(rng: np.random.Generator, *, asynchronous: bool, pool: bool, background: bool) -> str:
    """Return a command in the style of some years ago, with options in any order."""
    names = [str(name) for name in rng.permutation(sorted(_WITH_VALUES))[: int(rng.integers(0, 4))]]
    options = [_written(rng, name, str(rng.choice(_WITH_VALUES[name]))) for name in names]
    options += [[str(flag)] for flag in rng.permutation(_FLAGS)[: int(rng.integers(0, 3))]]
    if asynchronous:
        options.append(["--rmm-async"])
    if pool and not asynchronous and "--name" not in names:
        options.append(_written(rng, "--name", "rmm-async"))  # a value that looks like an option
    if pool:
        options.append(_written(rng, "--rmm-pool-size", str(rng.choice(["30GB", "24GiB", "0.8"]))))
    if rng.random() < 0.6:
        options.append([str(rng.choice(sorted(REMOVED)))])
    shuffled = [options[place] for place in rng.permutation(len(options))]
    words = ["dask-cuda-worker", *(word for option in shuffled for word in option), *(["&"] if background else [])]
    return " ".join(words)


def _written(rng: np.random.Generator, name: str, value: str) -> list[str]:
    return [f"{name}={value}"] if rng.random() < 0.5 else [name, value]


def kept(words: list[str]) -> list[tuple[str, str]]:
    """Return the options of a command with their values, however they are written, in order."""
    found: list[tuple[str, str]] = []
    for word in words:
        if word.startswith("--"):
            name, _, value = word.partition("=")
            found.append((name, value))
        elif found and not found[-1][1]:
            found[-1] = (found[-1][0], word)
    return found


@exercise("11.8", "repair")
def check_repair(exam: Examination, repair: Any) -> None:
    """What is returned is legal in dask-cuda 26.10, and keeps all that was legal before."""
    for turn in range(48):
        command = random_command(exam.rng, asynchronous=bool(turn & 1), pool=bool(turn & 2), background=bool(turn & 4))
        scheduler = f"tcp://10.0.{int(exam.rng.integers(256))}.{int(exam.rng.integers(1, 255))}:8786"
        found = exam.call(repair, command, scheduler)
        exam.require("It returns the command as text", isinstance(found, str), describe(found))
        problems = command_problems(found)
        exam.expect(
            "dask-cuda 26.10 accepts the command", not problems, f"{problems[0]} In: {found}" if problems else found
        )
        words = found.split()
        both_commands = f"{command} → {found}"
        exam.expect("The scheduler's address comes first", words[3:4] == [scheduler], f"{' '.join(words[:5])} …")
        old, new = kept(_plain(command)), kept(_plain(found))
        both = {"--rmm-async", "--rmm-pool-size"} <= {name for name, _ in old}
        wanted = [(name, value) for name, value in old
                  if name not in REMOVED and not (both and name == "--rmm-pool-size")]  # fmt: skip
        missing = [name for name, value in wanted if (name, value) not in new]
        exam.expect("All other options are kept, with their values", not missing,
                    f"{missing[0]} is missing or changed: {both_commands}" if missing else "they are")  # fmt: skip
        more = [name for name, value in new if (name, value) not in wanted]
        exam.expect("No option is added, and none is left that must go", not more,
                    f"{more[0]}: {both_commands}" if more else "none")  # fmt: skip
        same = bool(new == wanted or missing or more)
        exam.expect("The order of the options is unchanged", same, "it is" if same else both_commands)
        ends = command.endswith("&") == found.endswith("&")
        exam.expect("An & at the end is kept", ends, "it does" if ends else both_commands)


def _plain(command: str) -> list[str]:
    return [word for word in shlex.split(command) if word != "&"]


# References: which variables keep an object alive.


Refers = dict[str, list[str]]


def random_references(rng: np.random.Generator, size: int) -> tuple[Refers, list[str], str]:
    """Return who refers to whom, the variables and the object; including cycles and unreferenced objects."""
    objects = [f"object {place}" for place in range(size)]
    variables = [f"x{place}" for place in range(max(2, size // 2))]
    refers: Refers = {}
    for name in objects:
        others = rng.permutation(objects)[: int(rng.choice([0, 1, 1, 2, 3]))]
        refers[name] = [str(other) for other in others]
    for name in variables:
        refers[name] = [str(rng.choice(objects))] if rng.random() < 0.85 else []
    target = str(rng.choice(objects))
    if rng.random() < 0.7:  # held through a list in a list
        refers[variables[0]], refers[objects[0]], refers[objects[1]] = [objects[0]], [objects[1]], [target]
    names = [str(name) for name in rng.permutation(sorted(refers))]
    return {name: refers[name] for name in names}, [str(one) for one in rng.permutation(variables)], target


def true_holders(refers: Refers, variables: list[str], target: str) -> set[str]:
    """Return the variables from which the target can be reached."""
    reached = {target}
    while more := {name for name, others in refers.items() if name not in reached and reached & set(others)}:
        reached |= more
    return reached & set(variables)


@exercise("11.9", "holders")
def check_holders(exam: Examination, holders: Any) -> None:
    """All variables that lead to the object, over any number of steps, and no others."""
    for turn in range(80):
        refers, variables, target = random_references(exam.rng, 3 + turn % 12)
        copied = {name: list(others) for name, others in refers.items()}
        found = exam.call(holders, copied, list(variables), target)
        exam.require("It returns a set of names", isinstance(found, Set), describe(found))
        found = set(found)
        strange = sorted(map(str, found - set(variables)))
        exam.require("All of them are variables", not strange, f"{strange[:1]} is none")
        true = true_holders(refers, variables, target)
        what = f"{len(found)} of {len(variables)} variables"
        missing, more = sorted(true - found), sorted(found - true)
        exam.expect("Every variable that leads to the object is listed, directly or through others", not missing,
                    f"{what}, without {missing[:2]}" if missing else what)  # fmt: skip
        exam.expect("No other variable is listed", not more, f"{what}, {more[:2]} too many" if more else what)


# Sizing: how large a pool may be.


MIB, MB = 2**20, 10**6


def room(card_mib: int, n_processes: int, context_mb: int) -> float:
    """Return the bytes that the rule leaves for a pool."""
    return 0.9 * card_mib * MIB - n_processes * context_mb * MB


@exercise("11.5", "pool_size")
def check_pool_size(exam: Examination, pool_size: Any) -> None:
    """The pool is the largest multiple of 256 bytes that leaves a tenth and all contexts free; never less than 0."""
    rng = exam.rng
    cards = [
        (int(rng.integers(15_000, 150_000)), int(rng.integers(1, 4)), int(rng.integers(200, 900))) for _ in range(40)
    ]
    cards += [(int(rng.integers(15_000, 150_000)), int(rng.integers(1, 3)), 500) for _ in range(10)]
    for card_mib, n_processes, context_mb in cards:
        left = room(card_mib, n_processes, context_mb)
        if not 2 < left % ALIGNMENT < ALIGNMENT - 2:
            continue  # too close for calculations with a point
        given = (card_mib, n_processes) if context_mb == 500 else (card_mib, n_processes, context_mb)
        found = _bytes(exam, exam.call(pool_size, *given))
        what = f"{found:,} bytes on a card of {card_mib:,} MiB, {n_processes} × {context_mb} MB for contexts"
        exam.expect("It is a multiple of 256 bytes", found % ALIGNMENT == 0, what)
        spare = card_mib * MIB - n_processes * context_mb * MB - found
        exam.expect("A tenth of the device and all contexts stay free", found <= left,
                    f"{what}: {spare / (card_mib * MIB):.2%} of the card are left")  # fmt: skip
        exam.expect(
            "256 bytes more would be too many", found + ALIGNMENT > left, f"{what}: {left - found:,.0f} bytes short"
        )
    small = int(rng.integers(100, 900))
    found = _bytes(exam, exam.call(pool_size, small, 3, 500))
    exam.expect(
        "If nothing is left for a pool, it is 0", found == 0, f"{found:,} on a card of {small} MiB with 3 contexts"
    )


def _bytes(exam: Examination, value: Any) -> int:
    found = number(exam, value, "The result")
    exam.require("It is a whole number of bytes", found == int(found), f"it is {found}")
    return int(found)


# Spilling: which buffers leave the device, and where a worker's results are.


def random_device(rng: np.random.Generator) -> tuple[list[Buffer], int, int]:
    """Return the buffers on a device in no order, the bytes that are needed, and the limit."""
    count = int(rng.integers(0, 10))
    moments = rng.permutation(np.arange(1, 100))[:count]
    buffers: list[Buffer] = [
        {"name": f"buffer {place}", "bytes": int(rng.integers(1, 60)) * 100, "last_used": int(moment),
         "exposed": bool(rng.random() < 0.25)}
        for place, moment in enumerate(moments)
    ]  # fmt: skip
    held = sum(one["bytes"] for one in buffers)
    needed = int(rng.integers(1, 60)) * 100
    # Room for all, for some, or for less than what must stay; and an exact fit.
    limit = int(rng.choice([held + needed, rng.integers(1, held + needed + 1), max(1, held // 2), held + needed + 500]))
    chance = rng.random()
    if count and chance < 0.5:
        oldest = min(buffers, key=lambda one: one["last_used"])
        # Fits exactly when the oldest has left; or it is a little too small, where a larger one alone would do.
        limit = held + needed - oldest["bytes"] - (0 if chance < 0.3 else 100)
    return buffers, needed, max(1, limit)


def true_choice(buffers: list[Buffer], needed: int, limit: int) -> list[str]:
    """Return who leaves, in order."""
    held, leaving = sum(one["bytes"] for one in buffers), list[str]()
    for one in sorted(buffers, key=lambda one: one["last_used"]):
        if held + needed <= limit:
            break
        if not one["exposed"]:
            leaving.append(one["name"])
            held -= one["bytes"]
    return leaving


@exercise("11.6", "to_spill")
def check_to_spill(exam: Examination, to_spill: Any) -> None:
    """The least recently used leave first, as few as are needed, and none that is exposed."""
    for _ in range(150):
        buffers, needed, limit = random_device(exam.rng)
        result = exam.call(to_spill, [dict(one) for one in buffers], needed, limit)
        exam.require("It returns a list of names", isinstance(result, (list, tuple, np.ndarray)), describe(result))
        found = list(result)
        known = {one["name"]: one for one in buffers}
        strange = [name for name in found if name not in known]
        exam.require("They are names of buffers on the device", not strange, f"{strange[:1]} is none")
        exam.require("Each name is there once", len(set(found)) == len(found), f"{found}")
        exposed = [name for name in found if known[name]["exposed"]]
        exam.expect("Exposed buffers are not spilled", not exposed, f"{exposed[:2]} left" if exposed else "they do")
        true = true_choice(buffers, needed, limit)
        held = sum(one["bytes"] for one in buffers)
        what = f"{len(found)} leave; {held:,} bytes on the device, {needed:,} needed, limit {limit:,}"
        exam.expect("What stays and what is needed fit, if possible", set(found) >= set(true) or exposed,
                    what if found == true else f"{what}; {len(true)} should")  # fmt: skip
        exam.expect("No more buffers are spilled than needed", len(found) <= len(true), what)
        exam.expect("The least recently used one is spilled first", found == true or exposed or len(found) != len(true),
                    what if found == true else f"{found[:3]} instead of {true[:3]}")  # fmt: skip


def random_workers(rng: np.random.Generator) -> dict[str, Any]:
    """Return what the scheduler knows of some workers, as ``client.scheduler_info()["workers"]`` has it."""
    workers: dict[str, Any] = {}
    for place in range(int(rng.integers(1, 6))):
        spilled = int(rng.integers(0, 10**9)) if rng.random() < 0.7 else 0
        managed = spilled + int(rng.integers(0, 10**9))
        on_disk = int(spilled * rng.uniform(0.2, 1.1))
        workers[f"tcp://127.0.0.1:{40000 + place}"] = {
            "name": place,
            "memory_limit": int(rng.integers(10**9, 10**10)),
            "metrics": {
                "managed_bytes": managed,
                "spilled_bytes": {"memory": spilled, "disk": on_disk},
                "memory": managed - spilled + int(rng.integers(10**7, 10**8)),
                "cpu": float(rng.uniform(0, 100)),
            },
        }
    return workers


@exercise("11.7", "tiers")
def check_tiers(exam: Examination, tiers: Any) -> None:
    """For random workers: what is in memory, and what the files on disk take."""
    for _ in range(20):
        workers = random_workers(exam.rng)
        found = exam.call(tiers, workers)
        exam.require("It returns a dictionary", isinstance(found, dict), describe(found))
        exam.require("It has one entry for each worker, by its address", set(found) == set(workers),
                     f"{len(found)} entries for {len(workers)} workers")  # fmt: skip
        for address, worker in workers.items():
            pair = found[address]
            is_pair = isinstance(pair, (tuple, list, np.ndarray)) and len(pair) == 2
            exam.require("Each entry is a pair: in memory, on disk", is_pair, describe(pair))
            metrics = worker["metrics"]
            spilled = metrics["spilled_bytes"]
            memory, disk = metrics["managed_bytes"] - spilled["memory"], spilled["disk"]
            exam.expect("The memory figure excludes what the worker has spilled", pair[0] == memory,
                        f"{pair[0]!r}" + ("" if pair[0] == memory else f", not {memory:,}"))  # fmt: skip
            exam.expect("The disk figure is the size of the files", pair[1] == disk,
                        f"{pair[1]!r}" + ("" if pair[1] == disk else f", not {disk:,}"))  # fmt: skip


# Warps: how many steps a branch costs.


def random_branch(rng: np.random.Generator, lanes: int) -> NDArray[np.bool_]:
    """Return which threads take side a: whole warps of one side, mixed ones, and often a last one that is not full."""
    parts = []
    for _ in range(int(rng.integers(1, 12))):
        share = rng.choice([0.0, 1.0, 0.5, 1 / lanes])
        parts.append(rng.random(lanes) < share)
    rest = rng.random(int(rng.integers(0, lanes))) < rng.choice([0.0, 1.0, 0.5])
    return np.concatenate([*parts, rest])


@exercise("11.1", "warp_steps")
def check_warp_steps(exam: Examination, warp_steps: Any) -> None:
    """The steps are those of warps that go through each side that one of their threads takes."""
    sizes = [LANES] * 12 + [4, 8, 16, 64] * 3
    for lanes in sizes:
        takes_a = random_branch(exam.rng, lanes)
        steps_a, steps_b = (int(value) for value in exam.rng.integers(1, 40, 2))
        given = (takes_a, steps_a, steps_b) if lanes == LANES else (takes_a, steps_a, steps_b, lanes)
        found = number(exam, exam.call(warp_steps, *given), "The result")
        true = run_warps(takes_a, steps_a, steps_b, lanes).issued
        name = "warps of 32 lanes" if lanes == LANES else "warps of another size"
        what = f"{found:g} for {len(takes_a)} threads, {int(takes_a.sum())} of them on side a, lanes={lanes}"
        exam.expect(f"Each warp executes every branch that one of its threads takes ({name})", found == true,
                    what + ("" if found == true else f": {true} are right"))  # fmt: skip
    nobody = np.zeros(0, dtype=bool)
    found = number(exam, exam.call(warp_steps, nobody, 3, 5), "The result")
    exam.expect("Zero threads need zero steps", found == 0, f"{found:g}")
