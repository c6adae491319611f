"""The kitchen of lesson 03: orders, cooks that are threads or workers, and the log."""

import threading
import time
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
from distributed import Semaphore, default_client, get_worker
from gpucluster.lessons.course.lesson_03_the_kitchen import simulations as kitchen
from gpucluster.lessons.course.lesson_03_the_kitchen.checks import longest_chain, lower_bounds
from gpucluster.lessons.course.lesson_03_the_kitchen.simulations import (
    Entry,
    Kitchen,
    Order,
    evening,
    makespan,
    most_at_once,
    small_kitchen,
    tonight,
)
from gpucluster.protocol.errors import InvalidRequest


def entry(name: str, cook: int, taken: float, began: float, ended: float) -> Entry:
    return Entry(name, cook, taken, began, ended)


def hands_on(order: Order) -> Entry:
    began = time.time()
    time.sleep(order.seconds)
    return Entry(order.name, get_worker().name, began, began, time.time())


def with_semaphore(order: Order, knives: Any) -> Entry:
    if not order.knife:
        return hands_on(order)
    with knives:
        return hands_on(order)


def test_the_orders_of_the_evening_are_those_that_the_lesson_speaks_of() -> None:
    orders = tonight()
    bounds = lower_bounds(orders, cooks=3, knives=2)
    assert len(orders) == len({order.name for order in orders}) == 14
    assert sum(order.seconds for order in orders if order.knife) == pytest.approx(3.6)
    assert sum(order.seconds for order in orders if not order.knife) == pytest.approx(1.8)
    assert max(bounds.values()) == pytest.approx(1.8)


def test_figures_of_orders_and_logs() -> None:
    orders = [Order("c", 3, after=("a", "b")), Order("a", 1), Order("b", 2, after=("a",)), Order("d", 5)]
    assert longest_chain(orders) == 6
    log = [entry("a", 0, 0, 0, 1), entry("b", 1, 0, 1, 2), entry("c", 2, 0, 0.5, 1.5)]
    assert most_at_once(log) == 2
    assert most_at_once([]) == 0
    assert makespan([entry("a", 0, 1, 3, 4), entry("b", 1, 2, 2, 7)]) == 6


def test_a_small_kitchen_costs_no_process_and_listens_on_this_machine_only() -> None:
    def listening() -> set[tuple[str, int]]:
        return {one.laddr for one in psutil.Process().net_connections() if one.status == psutil.CONN_LISTEN}

    # Other tests in this process may have ports, and processes, that end meanwhile.
    children, ports = set(psutil.Process().children(recursive=True)), listening()
    with small_kitchen(3) as (client, _):
        opened = listening() - ports
        threads = client.gather(client.map(lambda _: threading.get_ident(), range(9), pure=False))
        assert opened
        assert {host for host, _ in opened} <= {"127.0.0.1", "::1"}
        assert set(threads) <= {thread.ident for thread in threading.enumerate()}
        assert set(psutil.Process().children(recursive=True)) <= children
        assert default_client() is client
    with pytest.raises(ValueError, match="No client"):
        default_client()


def test_cooks_share_the_knives_of_a_semaphore_and_the_log_knows_who_waited() -> None:
    orders = [Order("onion 1", 0.2, knife=True), Order("onion 2", 0.2, knife=True), Order("rice", 0.2)]
    with small_kitchen(3) as (client, _):
        knives = Semaphore(max_leases=1, name="knives")
        log = evening(client, orders, with_semaphore, knives)
        knives.close()
    assert [one.name for one in log] == ["onion 1", "onion 2", "rice"]
    assert len({one.cook for one in log}) == 3
    assert most_at_once(log[:2]) == 1
    assert max(one.began - one.taken for one in log[:2]) > 0.15
    assert all(one.taken <= one.began < one.ended for one in log)


def test_an_answer_that_gives_nothing_gives_a_log_of_nothing() -> None:
    with small_kitchen(1) as (client, _):
        assert evening(client, tonight()[:2], lambda order: None) == [None, None]


class Fixed:
    """A cluster that cannot be scaled beyond its devices."""

    n_workers = 1

    def __init__(self) -> None:
        self.requests: list[int] = []

    def scale(self, n_workers: int) -> None:
        self.requests.append(n_workers)
        if n_workers > 1:
            raise InvalidRequest("n_workers: this machine has one device.")


def test_where_the_cluster_cannot_grow_the_cooks_are_threads(capsys: pytest.CaptureFixture[str]) -> None:
    lab: Any = SimpleNamespace(cluster=Fixed(), client=object())
    opened = kitchen.open_kitchen(lab, 3)
    try:
        assert len(opened.cooks) == 3
        opened.scale(2)
        assert len(opened.cooks) == 2
    finally:
        opened.close()
    assert "one device.\nThe cooks are threads of this notebook instead." in capsys.readouterr().out
    assert lab.cluster.requests == [3]


def test_the_lessons_cluster_gets_its_cooks_and_is_left_as_it_was(cluster: Any, client: Any) -> None:
    opened = Kitchen(SimpleNamespace(cluster=cluster, client=client), 3)  # type: ignore[arg-type]
    assert len(opened.cooks) == 3
    opened.close()
    assert cluster.n_workers == 2
