"""Canaries: results and shards of shuffles that workers send to each other and to clients."""

from collections import deque

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed.shuffle import _core
from gpucluster.dask_internals.workers import following
from gpucluster.dask_internals.workers.following import Following, follow_handler


def test_transfer_logs_are_followed(here, canary, wait_until):
    incoming, outgoing = [], []
    logs = here.worker.transfer_outgoing_log, here.other.transfer_incoming_log
    followers = [
        following.follow_transfers(here.worker, "outgoing", outgoing.append),
        following.follow_transfers(here.other, "incoming", incoming.append),
    ]
    before, count = following.sent_bytes(here.worker), following.n_sent(here.worker)
    source = here.client.submit(bytes, 1_000_000, pure=False, workers=[here.worker.address])
    assert here.client.submit(len, source, pure=False, workers=[here.other.address]).result(30) == 1_000_000
    with canary("start, stop, total and who in Worker.transfer_incoming_log"):
        [entry] = wait_until(lambda: incoming)
        assert entry["total"] >= 1_000_000
        assert entry["who"] == here.worker.address
        assert entry["start"] <= entry["stop"]
    with canary("start, stop, total and who in Worker.transfer_outgoing_log"):
        sent = wait_until(lambda: [one for one in outgoing if one["who"] == here.other.address])
        assert sent[0]["total"] >= 1_000_000
    with canary("Worker.transfer_outgoing_bytes_total and .transfer_outgoing_count_total"):
        assert following.sent_bytes(here.worker) - before >= 1_000_000
        assert following.n_sent(here.worker) > count
        assert len(following.sent_since(here.worker, count)) == following.n_sent(here.worker) - count
        assert following.sent_since(here.worker, following.n_sent(here.worker)) == []
    with canary("a reader without an address that is a client, in Worker.transfer_outgoing_log"):
        here.client.submit(bytes, 1_000_000, pure=False, workers=[here.worker.address]).result(30)
        wait_until(lambda: any(not one["who"] and one["total"] >= 1_000_000 for one in outgoing))
    with canary("Worker.transfer_outgoing_log and .transfer_incoming_log, which no one else replaces"):
        assert all(one.whole for one in followers)
    for one in followers:
        one.stop()
    now = here.worker.transfer_outgoing_log, here.other.transfer_incoming_log
    assert [type(log) for log in now] == [deque, deque]
    assert [log.maxlen for log in now] == [log.maxlen for log in logs]


def test_sent_and_received_shards_are_followed(here, canary):
    sent: list[tuple[str, str, int]] = []
    received: dict[str, int] = {}
    original = _core.ShuffleRun._send

    def arriving(worker):
        def add(n_bytes: int) -> None:
            received[worker.address] = received.get(worker.address, 0) + n_bytes

        return add

    with canary("ShuffleRun._send and Worker.handlers['shuffle_receive']"):
        followers = [
            following.follow_sent_shards(lambda *one: sent.append(one)),
            following.follow_sent_shards(lambda *one: None),
            *(following.follow_received_shards(worker, arriving(worker)) for worker in (here.worker, here.other)),
        ]
        assert None not in followers
    table = pd.DataFrame({"key": np.random.default_rng(0).permutation(40_000), "value": np.arange(40_000.0)})
    with dask.config.set({"dataframe.shuffle.method": "p2p"}):
        frame = dd.from_pandas(table, npartitions=4).shuffle("key")
        assert int(frame.map_partitions(len).sum().compute(scheduler=here.client)) == 40_000
    with canary("ShuffleRun._send(address, shards), by which all shuffles send, and ShuffleRun.local_address"):
        addresses = {here.worker.address, here.other.address}
        assert {source for source, _, _ in sent} == addresses
        assert {target for _, target, _ in sent} == addresses
        size = table.memory_usage(index=True).sum()
        assert sum(n_bytes for _, _, n_bytes in sent) > size / 2
    with canary("Worker.handlers['shuffle_receive'] with the argument data"):
        arrived = {address: sum(n for _, to, n in sent if to == address) for address in addresses}
        assert received == arrived
    with canary("ShuffleRun._send, which no one else replaces"):
        for one in followers:
            assert one.whole
            one.stop()
        assert _core.ShuffleRun._send is original


def test_sizes_of_shards():
    assert following.shard_bytes([(0, b"four"), (1, [np.zeros(2)])]) == 4 + 16
    assert following.shard_bytes({"a": b"1", "b": None}) == 1


def test_last_follower_restores_original():
    table = {"operation": len}
    seen: list[dict[str, int]] = []
    first, second = (follow_handler(table, "operation", seen.append) for _ in range(2))
    assert table["operation"]([1, 2]) == 2
    assert seen == [{}, {}]
    first.stop()
    assert second.whole
    table["operation"] = max
    assert not second.whole
    second.stop()
    assert table["operation"] is max, "a later handler was replaced"
    assert isinstance(first, Following)
