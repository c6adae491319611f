"""The program of every rank in the tests of all communicators."""

from typing import Any

import numpy as np


def collectives(communicator: Any) -> dict[str, Any]:
    """Call every operation in every shape, and return the results of this rank."""
    rank, size = communicator.rank, communicator.size
    last = size - 1
    large = np.arange(200_000, dtype=np.float32).reshape(1000, 200) * (rank + 1)
    found: dict[str, Any] = {
        "number": communicator.allreduce(rank + 1),
        "array": communicator.allreduce(np.full(3, rank + 1.0)),
        "maximum": communicator.allreduce(np.array([rank, -rank]), "max"),
        "minimum": communicator.allreduce((np.array([rank]), float(rank)), "min"),
        "tuple": communicator.allreduce((np.ones((2, 2)) * rank, np.float64(rank))),
        "function": communicator.allreduce([rank], lambda one, other: one + other),
        "reduced": communicator.reduce({"ranks": 1}, root=last),
        "broadcast": communicator.broadcast({"from": rank} if rank == last else None, root=last),
        "gathered": communicator.gather("x" * rank),
        "gathered by the last": communicator.gather(np.array([rank]), root=last),
        "allgathered": communicator.allgather(rank**2),
        "nothing": communicator.allreduce(None if rank else (np.ones(1),)),
        "large": float(communicator.allreduce(large).sum()),
    }
    communicator.barrier()
    mine = communicator.allreduce(np.zeros(2))
    mine += rank  # A rank may write to its result.
    found["own"] = mine
    return found


def check(results: list[dict[str, Any]]) -> None:
    size = len(results)
    ranks = range(size)
    last = size - 1
    total = sum(ranks)
    for rank, found in enumerate(results):
        assert found["number"] == size * (size + 1) / 2
        assert found["array"].tolist() == [size * (size + 1) / 2] * 3
        assert found["maximum"].tolist() == [last, 0]
        assert found["minimum"][0].tolist() == [0] and found["minimum"][1] == 0.0
        assert found["tuple"][0].tolist() == [[total] * 2] * 2 and found["tuple"][1] == total
        assert found["function"] == list(ranks)
        assert found["reduced"] == ({"ranks": size} if rank == last else None)
        assert found["broadcast"] == {"from": last}
        assert found["gathered"] == (["x" * other for other in ranks] if rank == 0 else None)
        by_last = found["gathered by the last"]
        assert (by_last is None) == (rank != last)
        if by_last is not None:
            assert [int(part[0]) for part in by_last] == list(ranks)
        assert found["allgathered"] == [other**2 for other in ranks]
        assert found["nothing"][0].tolist() == [1.0]
        expected = np.arange(200_000, dtype=np.float64).sum() * size * (size + 1) / 2
        assert abs(found["large"] / expected - 1) < 1e-5
        assert found["own"].tolist() == [rank, rank]
