"""Canaries: results that workers send to each other and to clients."""

from __future__ import annotations

from collections import deque

from gpucluster.dask_internals.workers import transfers


def test_transfer_logs_are_followed(here, canary, wait_until):
    incoming, outgoing = [], []
    logs = here.worker.transfer_outgoing_log, here.other.transfer_incoming_log
    following = [
        transfers.follow_transfers(here.worker, "outgoing", outgoing.append),
        transfers.follow_transfers(here.other, "incoming", incoming.append),
    ]
    before, count = transfers.sent_bytes(here.worker), transfers.n_sent(here.worker)
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
        assert transfers.sent_bytes(here.worker) - before >= 1_000_000
        assert transfers.n_sent(here.worker) > count
        assert len(transfers.sent_since(here.worker, count)) == transfers.n_sent(here.worker) - count
        assert transfers.sent_since(here.worker, transfers.n_sent(here.worker)) == []
    with canary("a reader without an address that is a client, in Worker.transfer_outgoing_log"):
        here.client.submit(bytes, 1_000_000, pure=False, workers=[here.worker.address]).result(30)
        wait_until(lambda: any(not one["who"] and one["total"] >= 1_000_000 for one in outgoing))
    with canary("Worker.transfer_outgoing_log and .transfer_incoming_log, which no one else replaces"):
        assert all(one.whole for one in following)
    for one in following:
        one.stop()
    now = here.worker.transfer_outgoing_log, here.other.transfer_incoming_log
    assert [type(log) for log in now] == [deque, deque]
    assert [log.maxlen for log in now] == [log.maxlen for log in logs]
