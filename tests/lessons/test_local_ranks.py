"""Ranks simulated by threads do what mpi4py does: where MPI is, the same functions give the same."""

from typing import Any

import numpy as np
import pytest
from gpucluster.lessons.simulations.ranks import RankFailed, local_world, mpiexec, plain, run_mpi, run_script, simulate

from tests.mpi import needs_mpi

# As in a notebook, functions are made where they are used, so that they travel by value.
PROGRAMS = """
def collectives(comm):
    total = np.zeros(2)
    comm.Allreduce(np.array([comm.rank, 1.0]), total)
    rooted = np.zeros(1)
    comm.Reduce(np.array([2.0]), rooted, root=1)
    told = np.arange(3.0) if comm.rank == 1 else np.zeros(3)
    comm.Bcast(told, root=1)
    comm.Barrier()
    from mpi4py import MPI

    comm.Allreduce(MPI.IN_PLACE, total, op=MPI.SUM)
    rows = np.zeros((3, 2))
    comm.Allgather(np.array([comm.rank, 7.0]), rows)
    told[:1] = rows.sum()
    part = np.zeros(2)
    comm.Scatter(rows if comm.rank == 2 else None, part, root=2)
    gathered = np.zeros(6)
    comm.Gather(part, gathered)
    told[1:] = gathered.sum(), part.sum()
    return (total.tolist(), rooted.tolist() if comm.rank == 1 else None, told.tolist(), comm.bcast(comm.rank, root=1),
            comm.gather(comm.rank), comm.allgather(comm.rank),
            comm.scatter(["a", "b", "c"] if comm.rank == 0 else None),
            comm.reduce("xyz"[comm.rank]), comm.allreduce(comm.rank, op=max), comm.allreduce(comm.rank + 1))


def splits(comm):
    half = comm.Split(comm.rank % 2, -comm.rank)
    again = half.Split(0, comm.rank)
    if half.size > 1:
        half.send(comm.rank, dest=1 - half.rank)
        return half.rank, again.rank, half.recv(source=1 - half.rank), again.allreduce(comm.rank)
    return half.rank, again.rank, None, again.allreduce(comm.rank)


def messages(comm):
    right, left = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    table = np.arange(6).reshape(2, 3) + comm.rank
    request = comm.Isend(table.T, dest=right, tag=5)
    found = np.zeros((3, 2), dtype=table.dtype)
    comm.Recv([found, found.size] if comm.rank > 5 else found, source=left, tag=5)
    while not request.Test():
        pass
    later = comm.irecv(source=left, tag=9)
    comm.isend({"from": comm.rank}, dest=right, tag=9).wait()
    swapped = comm.sendrecv(comm.rank, dest=right, source=left)
    return found.tolist(), later.wait(), swapped


def tags(comm):
    if comm.rank == 0:
        comm.send("one", 1, tag=1)
        comm.send("two", 1, tag=2)
        return None
    if comm.rank == 1:
        comm.probe(source=0, tag=2)
        return [comm.recv(source=0, tag=2), comm.recv(tag=1), comm.iprobe()]
"""


def named(name: str) -> Any:
    namespace: dict[str, Any] = {"__name__": "__main__", "np": np}
    exec(PROGRAMS, namespace)
    return namespace[name]


@pytest.mark.parametrize("name", ["collectives", "splits", "messages", "tags"])
@pytest.mark.full
def test_simulated_ranks_give_what_mpi_gives(name: str) -> None:
    if name == "collectives":
        pytest.importorskip("mpi4py.MPI", reason="the program uses MPI's constants")
    found = simulate(named(name), n_ranks=3).results
    assert len(found) == 3
    if mpiexec() is None:
        pytest.skip("needs mpiexec beside Python")
    assert run_mpi(named(name), n_ranks=3).results == found


def test_messages_and_collectives_are_written_down() -> None:
    def program(comm: Any) -> None:
        if comm.rank == 0:
            comm.Send(np.ones(4), dest=1)
            comm.send("x", dest=1)
        else:
            comm.Recv(np.empty(4), source=0)
            comm.recv(source=0)
        comm.Split(comm.rank).allreduce(np.ones(2))

    run = simulate(program)
    assert [(one.source, one.target, one.kind) for one in run.messages] == [(0, 1, "buffer"), (0, 1, "pickle")]
    assert run.messages[0].bytes == 32
    names = sorted((name, len(group), bytes_) for name, group, _, bytes_ in run.collectives)
    assert names == [("Split", 0, 0)] * 2 + [("allreduce", 3, 16)] * 2


def both_send_first(comm: Any, n: int) -> int:
    array = np.ones(n)
    comm.Send(array, dest=1 - comm.rank)
    comm.Recv(array, source=1 - comm.rank)
    return n


@pytest.mark.parametrize("way", ["recv", "irecv and wait", "irecv and test"])
def test_what_a_rank_had_received_before_it_sent_is_written_down(way: str) -> None:
    def to_and_fro(comm: Any) -> None:
        if comm.rank == 1:
            for _ in range(3):
                comm.send(comm.recv(source=0), dest=0)
            return
        for number in range(3):
            comm.send(number, dest=1)
            if way == "recv":
                comm.recv(source=1)
                continue
            request = comm.irecv(source=1)
            if way == "irecv and wait":
                request.wait()
            else:
                while not request.test()[0]:
                    pass
                assert request.test()[0], "asked once more, it is not received once more"

    run = simulate(to_and_fro, n_ranks=2)
    assert [message.received_before for message in run.messages if message.source == 0] == [0, 1, 2]
    assert [message.received_before for message in run.messages if message.source == 1] == [1, 2, 3]


def test_two_ranks_that_send_first_hang_when_the_message_is_long() -> None:
    assert simulate(both_send_first, 100).results == [100, 100]
    with pytest.raises(RankFailed, match="a deadlock"):
        simulate(both_send_first, local_world.EAGER_BYTES)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("comm.recv(source=1 - comm.rank)", "Rank [01] receives, but no rank sends to it"),
        ("comm.rank and comm.recv(source=0)", "wait for each other forever"),
        ("comm.rank or comm.barrier()", "not all ranks of its communicator call it as often|has ended"),
        ("comm.rank and comm.allreduce(1 / 0)", "Rank 1 ended with an error: ZeroDivisionError"),
        ("comm.send(1, dest=2)", "there is no rank 2 in a communicator of 2"),
        ("comm.recv(source=7)", "there is no rank 7 in a communicator of 2"),
        ("comm.Send(np.ones(4)[::2], dest=1)", "buffer is not contiguous"),
        ("comm.Send('text', dest=1)", "expecting buffer"),
        ("comm.Send([np.ones(2), 3], dest=1)", "too small for requested count"),
        ("comm.Send(np.ones(3), 1) if comm.rank == 0 else comm.Recv(np.ones(2), 0)", "Message truncated: 24 bytes"),
        ("comm.send(3, 1) if comm.rank == 0 else comm.Recv(np.ones(2), 0)", "pickled object .* use recv"),
        ("comm.Send(np.ones(3), 1) if comm.rank == 0 else comm.recv()", "use Recv"),
        ("comm.scatter([1])", "expecting 2 items"),
    ],
)
def test_what_goes_wrong_is_a_sentence(text: str, sentence: str) -> None:
    namespace: dict[str, Any] = {"np": np}
    exec(f"def f(comm):\n    return {text}", namespace)
    with pytest.raises(RankFailed, match=sentence):
        simulate(namespace["f"])


def test_a_rank_that_asks_for_ever_is_ended(monkeypatch: Any) -> None:
    def asks(comm: Any) -> None:
        request = comm.Irecv(np.ones(1), source=0)
        while comm.rank and not request.Test():
            pass

    monkeypatch.setattr(local_world, "PATIENCE_SECONDS", 0.2)
    with pytest.raises(RankFailed, match="Nothing has been sent"):
        simulate(asks)


def test_without_mpi_a_sentence_says_so(monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(plain, "mpiexec", lambda: None)
    assert run_mpi(named("splits"), n_ranks=3).results == simulate(named("splits"), n_ranks=3).results
    assert run_script("print(1)") is None
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("MPI is not installed here") and "simulated" in told[0]
    assert told[1].startswith("MPI is not installed here") and "cannot be started" in told[1]


@needs_mpi
def test_a_program_shows_what_it_prints_and_how_it_fails(capsys: Any) -> None:
    lines = run_script("from mpi4py import MPI\nprint('rank', MPI.COMM_WORLD.rank)", n_ranks=2)
    assert sorted(lines or []) == ["rank 0", "rank 1"]
    assert "$ mpiexec -n 2 python program.py" in capsys.readouterr().out
    assert run_script("1 / 0", n_ranks=1) is None
    assert "ZeroDivisionError" in capsys.readouterr().out
