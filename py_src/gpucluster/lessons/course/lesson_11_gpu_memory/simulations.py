"""What lesson 11 simulates: a pool, its device, spilling and warps."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

# A pool of device memory that grants and refuses as RMM's ``PoolMemoryResource`` does, with addresses but no device.


ALIGNMENT = 256
"""All sizes in a pool are multiples of this number of bytes."""

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")

Event = tuple[Any, ...]
"""``("allocate", name, bytes)`` or ``("free", name)``."""


class OutOfDeviceMemory(MemoryError):
    """A request that was refused. RMM raises ``MemoryError`` in Python, too."""


class Block(NamedTuple):
    """A piece of free memory.

    Attributes
    ----------
    head : bool
        Whether it is the beginning of what came from the card in one piece. It never merges with what is before it.
    """

    address: int
    size: int
    head: bool

    @property
    def end(self) -> int:
        """The first address behind it."""
        return self.address + self.size


def aligned(nbytes: int) -> int:
    """Round up to a multiple of 256 bytes."""
    return -(-nbytes // ALIGNMENT) * ALIGNMENT


def in_binary(nbytes: int) -> str:
    """Write bytes as RMM's errors do."""
    size, unit = float(nbytes), 0
    while size > 1024:
        size, unit = size / 1024, unit + 1
    return f"{size:f} {_UNITS[unit]}"


class Card:
    """The source of memory for pools: a number of bytes, in pieces of any size.

    Attributes
    ----------
    requests : int
        How often it was asked. On a real device each is a call of ``cudaMalloc``.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.taken = 0
        self.requests = 0
        self._next = 0

    def allocate(self, nbytes: int) -> int:
        """Return the address of this number of new bytes."""
        self.requests += 1
        if self.taken + nbytes > self.total:
            raise OutOfDeviceMemory("CUDA error: cudaErrorMemoryAllocation out of memory")
        self.taken += nbytes
        address, self._next = self._next, self._next + nbytes
        return address

    def deallocate(self, nbytes: int) -> None:
        """Take bytes back. Their address is not given out again."""
        self.taken -= nbytes


class Pool:
    """Memory that is taken from a card in large pieces, and given out in small ones.

    Parameters
    ----------
    initial : int
        Bytes that are taken from the card at once.
    maximum : int, optional
        Bytes up to which the pool may grow; left out, as far as the card goes.
    card : Card, optional
        Left out: one that has as much as the pool may need.
    """

    def __init__(self, initial: int, maximum: int | None = None, card: Card | None = None) -> None:
        for size in (initial, maximum or 0):
            if size % ALIGNMENT:
                raise ValueError(f"The sizes of a pool must be multiples of {ALIGNMENT} bytes; {size:,} is none.")
        if maximum is not None and initial > maximum:
            raise ValueError("Initial pool size exceeds the maximum pool size!")
        self.maximum = maximum
        self.card = card if card is not None else Card(maximum if maximum is not None else initial)
        self.free: list[Block] = []
        self.held: dict[int, int] = {}
        self._heads: dict[int, int] = {}
        self._size = 0
        if initial:
            self._insert(self._grow(initial, initial))

    @property
    def pieces(self) -> list[int]:
        """Addresses at which what came from the card in one piece begins."""
        return sorted(self._heads)

    def pool_size(self) -> int:
        """Return how many bytes the pool has taken from the card."""
        return self._size

    def allocate(self, nbytes: int) -> int:
        """Return the address of this number of bytes; 0 for 0 bytes.

        Raises
        ------
        OutOfDeviceMemory
            When no free block is large enough and the pool cannot grow by so much.
        """
        size = aligned(nbytes)
        if not size:
            return 0
        block = self._smallest(size)
        if block is None:
            if not self._growth(size) and self.maximum is not None:
                self._reclaim(size, self.maximum)
            block = self._grow(self._growth(size), size)
        if block.size > size:
            self._insert(Block(block.address + size, block.size - size, False))
        self.held[block.address] = size
        return block.address

    def deallocate(self, address: int, nbytes: int) -> None:
        """Take bytes back, and merge them with their free neighbours."""
        size = aligned(nbytes)
        if not size:
            return
        if self.held.get(address) != size:
            raise ValueError(f"{nbytes:,} bytes at address {address:,} were not allocated. RMM would not notice.")
        del self.held[address]
        self._insert(Block(address, size, address in self._heads))

    def _smallest(self, size: int) -> Block | None:
        fitting = [block for block in self.free if block.size >= size]
        if not fitting:
            return None
        best = min(fitting, key=lambda block: block.size)  # the first, where several are equal
        self.free.remove(best)
        return best

    def _growth(self, size: int) -> int:
        if self.maximum is None:
            return max(size, self._size)
        remaining = self.maximum - self._size
        return max(size, remaining // 2) if size <= remaining else 0

    def _reclaim(self, size: int, maximum: int) -> None:
        """Give pieces that are free as a whole back to the card, until there is room to grow by so much."""
        if size > maximum:
            return
        for block in [block for block in self.free if self._heads.get(block.address) == block.size]:
            if maximum - self._size >= size:
                return
            self.free.remove(block)
            del self._heads[block.address]
            self.card.deallocate(block.size)
            self._size -= block.size

    def _grow(self, wanted: int, least: int) -> Block:
        """Take a piece from the card: what is wanted, or half of it, and so on, but never less than is needed."""
        while wanted >= least:
            try:
                address = self.card.allocate(wanted)
            except OutOfDeviceMemory as error:
                if wanted == least:
                    raise self._refusal(least, str(error)) from None
                wanted = max(least, wanted // 2)
            else:
                self._size += wanted
                self._heads[address] = wanted
                return Block(address, wanted, True)
        sizes = ", ".join(map(in_binary, (self._size, self.maximum or 0, least)))
        raise self._refusal(least, f"Not enough room to grow, current/max/try size = {sizes}")

    def _refusal(self, size: int, reason: str) -> OutOfDeviceMemory:
        return OutOfDeviceMemory(f"Maximum pool size exceeded (failed to allocate {in_binary(size)}): {reason}")

    def _insert(self, block: Block) -> None:
        place = bisect_left(self.free, block)
        after = self.free[place] if place < len(self.free) else None
        before = self.free[place - 1] if place else None
        if after is not None and block.end == after.address and not after.head:
            block = Block(block.address, block.size + after.size, block.head)
            del self.free[place]
        if before is not None and before.end == block.address and not block.head:
            block = Block(before.address, before.size + block.size, before.head)
            place -= 1
            del self.free[place]
        self.free.insert(place, block)


class OwnPool:
    """A pool that cannot grow, whose inside are two functions of the learner's.

    Parameters
    ----------
    take, give_back : callable
        Called with the free blocks as pairs of address and size.
    """

    def __init__(self, take: Callable[..., Any], give_back: Callable[..., Any], size: int) -> None:
        self._take, self._give_back = take, give_back
        self._blocks: list[tuple[int, int]] = [(0, size)]
        self._size = size

    def pool_size(self) -> int:
        """Return how many bytes it has."""
        return self._size

    def allocate(self, nbytes: int) -> int:
        """Return the address that ``take`` chooses."""
        start, self._blocks = self._take(list(self._blocks), nbytes)
        if start is None:
            raise OutOfDeviceMemory(f"No free block has {in_binary(aligned(nbytes))}")
        return int(start)

    def deallocate(self, address: int, nbytes: int) -> None:
        """Let ``give_back`` take it."""
        self._blocks = self._give_back(list(self._blocks), address, nbytes)


class AnyPool(Protocol):
    """What can be asked of a pool, a simulated one or RMM's."""

    def allocate(self, nbytes: int) -> int: ...
    def deallocate(self, address: int, nbytes: int) -> None: ...
    def pool_size(self) -> int: ...


@dataclass(frozen=True)
class Step:
    """How it looks after one event.

    Attributes
    ----------
    event : tuple
        What was asked.
    refused : str
        Why it was refused; empty when it was not.
    live : dict
        Address and size, rounded up, of what is given out, by name.
    free : tuple of (int, int)
        Address and size of each free block; empty where the pool does not tell.
    pool_size : int
        Bytes that the pool has taken from the card.
    pieces : tuple of int
        Addresses at which pieces from the card begin; empty where the pool does not tell.
    """

    event: Event
    refused: str
    live: dict[str, tuple[int, int]]
    free: tuple[tuple[int, int], ...]
    pool_size: int
    pieces: tuple[int, ...] = ()

    @property
    def used(self) -> int:
        """Bytes that are given out."""
        return sum(size for _, size in self.live.values())


@dataclass(frozen=True)
class Replay:
    """A trace of requests, put to a pool.

    Attributes
    ----------
    place : str
        Which pool it was.
    error : OutOfDeviceMemory or MemoryError, optional
        The first refusal.
    """

    place: str
    steps: tuple[Step, ...]
    requests_to_card: int | None = None
    error: MemoryError | None = field(default=None, repr=False)

    def granted(self) -> Replay:
        """Return the replay, or raise what it was refused with."""
        if self.error is not None:
            raise self.error
        return self

    def __repr__(self) -> str:
        last = self.steps[-1]
        refused = [step.event[1] for step in self.steps if step.refused]
        words = f"refused: {', '.join(refused)}" if refused else "nothing was refused"
        return f"{self.place}: {len(self.steps)} requests, {words}; {last.used:,} of {last.pool_size:,} bytes allocated"


def replay(trace: Sequence[Event], pool: AnyPool, place: str = "simulated pool") -> Replay:
    """Put requests to a pool, one after the other, and note how it looks after each; a refusal does not end it."""
    live: dict[str, tuple[int, int]] = {}
    asked: dict[str, int] = {}
    steps: list[Step] = []
    first: MemoryError | None = None
    for event in trace:
        action, name, *rest = event
        refused = ""
        if action == "allocate":
            try:
                address = pool.allocate(rest[0])
            except MemoryError as error:
                refused, first = str(error), first or error
            else:
                asked[name], live[name] = rest[0], (address, aligned(rest[0]))
        elif name in asked:  # what was refused is not given back
            pool.deallocate(live.pop(name)[0], asked.pop(name))
        free = tuple((block.address, block.size) for block in getattr(pool, "free", ()))
        pieces = tuple(getattr(pool, "pieces", ()))
        steps.append(Step(tuple(event), refused, dict(live), free, pool.pool_size(), pieces))
    card = getattr(pool, "card", None)
    return Replay(place, _from_zero(steps), card.requests if card is not None else None, first)


def _from_zero(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Count addresses from the lowest one, wherever a device has put its pool."""
    lowest = min((address for step in steps for address, _ in (*step.live.values(), *step.free)), default=0)
    return tuple(
        replace(
            step,
            live={name: (address - lowest, size) for name, (address, size) in step.live.items()},
            free=tuple((address - lowest, size) for address, size in step.free),
            pieces=tuple(address - lowest for address in step.pieces),
        )
        for step in steps
    )


def times_asked(trace: Sequence[Event], make_pool: Callable[[], Pool]) -> tuple[int, int]:
    """Return how often the card is asked without a pool, and with one."""
    return sum(event[0] == "allocate" for event in trace), replay(trace, make_pool()).requests_to_card or 0


# Arrays that count: each result of a calculation is noted as an allocation, and as freed when it is no longer needed.


class Tracer:
    """Notes what arrays ask of the memory of a device.

    Attributes
    ----------
    events : list of tuple
        ``("allocate", name, bytes)`` and ``("free", name)``, in order.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._numbers = count(1)

    def array(self, data: Any) -> CountedArray:
        """Return an array whose memory, and that of all results made of it, is noted here."""
        return CountedArray(np.asarray(data), self)

    def _allocate(self, nbytes: int) -> str:
        name = f"array {next(self._numbers)}"
        self.events.append(("allocate", name, nbytes))
        return name

    def _free(self, name: str) -> None:
        self.events.append(("free", name))


class CountedArray(NDArrayOperatorsMixin):
    """A NumPy array that behaves like one on a device: also a single number, such as a mean, needs memory there."""

    def __init__(self, data: Any, tracer: Tracer) -> None:
        self._data = np.asarray(data)
        self._tracer = tracer
        self._name = tracer._allocate(self._data.nbytes)

    def __del__(self) -> None:
        self._tracer._free(self._name)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        out = options.pop("out", None)
        if out is not None:
            options["out"] = tuple(one._data for one in out)
        values = [one._data if isinstance(one, CountedArray) else one for one in inputs]
        result = getattr(ufunc, method)(*values, **options)
        return out[0] if out is not None else CountedArray(result, self._tracer)

    def sum(self) -> CountedArray:
        """Return the sum: one number, on the device."""
        return CountedArray(self._data.sum(), self._tracer)

    def mean(self) -> CountedArray:
        """Return the mean: one number, on the device."""
        return CountedArray(self._data.mean(), self._tracer)

    def get(self) -> Any:
        """Return the numbers on the host."""
        return self._data

    def __len__(self) -> int:
        return len(self._data)


# Buffers on a device that is too small for all of them: which ones go to the host, and what that costs.


Buffer = dict[str, Any]
"""``name``, ``bytes``, ``last_used`` (a number that grows) and ``exposed`` of one buffer on the device."""


@dataclass(frozen=True)
class Visit:
    """One use of a buffer.

    Attributes
    ----------
    name : str
        The buffer that was used.
    fetched : bool
        Whether it was fetched back from the host.
    spilled : tuple of str
        What had to leave the device for it.
    device_bytes, host_bytes : int
        What is where afterwards.
    """

    name: str
    fetched: bool
    spilled: tuple[str, ...]
    device_bytes: int
    host_bytes: int


@dataclass(frozen=True)
class SpillRun:
    """A sequence of uses, and what moved.

    Attributes
    ----------
    limit : int
        Bytes that the device may hold.
    moved_bytes : int
        What crossed between device and host, in both directions.
    """

    visits: tuple[Visit, ...]
    limit: int
    moved_bytes: int

    @property
    def fetches(self) -> int:
        """How often a buffer was fetched back."""
        return sum(visit.fetched for visit in self.visits)

    @property
    def most_on_device(self) -> int:
        """The most bytes that were on the device at once."""
        return max(visit.device_bytes for visit in self.visits)


def use_buffers(
    sizes: dict[str, int],
    uses: Sequence[str],
    limit: int,
    choose: Callable[[list[Buffer], int, int], Sequence[str]],
    exposed: Sequence[str] = (),
) -> SpillRun:
    """Use buffers in this order on a device of this size; ``choose`` says which ones leave it.

    Simulated. A buffer is made on the device when it is used for the first time.

    Parameters
    ----------
    sizes : dict
        Bytes of each buffer.
    choose : callable
        Called with the buffers on the device, the bytes that are needed and the limit.
    exposed : sequence of str
        Buffers that must stay, because another library has their address.
    """
    device: dict[str, int] = {}
    host: set[str] = set()
    visits = []
    moved = 0
    for moment, name in enumerate(uses):
        fetched = name in host
        leaving: tuple[str, ...] = ()
        if name not in device:
            buffers = [
                {"name": one, "bytes": sizes[one], "last_used": used, "exposed": one in exposed}
                for one, used in device.items()
            ]
            leaving = tuple(one for one in choose(buffers, sizes[name], limit) if one in device)
            for one in leaving:
                del device[one]
                host.add(one)
            moved += sum(sizes[one] for one in leaving) + (sizes[name] if fetched else 0)
            host.discard(name)
        device[name] = moment
        held = {place: sum(sizes[one] for one in names) for place, names in (("device", device), ("host", host))}
        visits.append(Visit(name, fetched, leaving, held["device"], held["host"]))
    return SpillRun(tuple(visits), limit, moved)


# Threads in warps: which lanes work and which wait while a warp goes through both sides of an ``if``.


LANES = 32
"""Threads of a warp on NVIDIA's GPUs."""


@dataclass(frozen=True)
class WarpRun:
    """What the warps did.

    Attributes
    ----------
    sides : array of str
        ``"a"`` or ``"b"`` for each thread.
    steps_a, steps_b : int
        Instructions on each side.
    """

    sides: NDArray[Any]
    steps_a: int
    steps_b: int
    lanes: int

    @property
    def warps(self) -> list[NDArray[Any]]:
        """The threads of each warp; the last one may have fewer."""
        return [self.sides[begin : begin + self.lanes] for begin in range(0, len(self.sides), self.lanes)]

    def phases(self, warp: NDArray[Any]) -> list[tuple[str, int]]:
        """Return the sides that a warp has to go through, and how many instructions each takes."""
        return [(side, steps) for side, steps in (("a", self.steps_a), ("b", self.steps_b)) if (warp == side).any()]

    @property
    def issued(self) -> int:
        """Instructions that all warps together go through."""
        return sum(steps for warp in self.warps for _, steps in self.phases(warp))

    @property
    def useful(self) -> float:
        """Share of the lanes that work, on average over all instructions."""
        work = int((self.sides == "a").sum()) * self.steps_a + int((self.sides == "b").sum()) * self.steps_b
        return work / (self.issued * self.lanes)


def run_warps(takes_a: Any, steps_a: int, steps_b: int, lanes: int = LANES) -> WarpRun:
    """Let each thread go to side a, where its entry is true, or to side b.

    Simulated: real warps have more ways to save time, such as leaving out a short side, but a warp never goes through
    two sides at once.
    """
    return WarpRun(np.where(np.asarray(takes_a, dtype=bool), "a", "b"), steps_a, steps_b, lanes)
