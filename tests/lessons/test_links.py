"""What lesson 12 measures and draws: ping-pong over each transport, and pictures with words."""

import json
import re
import subprocess
import sys
from typing import Any

import psutil
import pytest
from gpucluster.comm.folder import SCHEME
from gpucluster.lessons.course.lesson_12_moving_bytes import echoing
from gpucluster.lessons.course.lesson_12_moving_bytes import tools as links
from gpucluster.lessons.course.lesson_12_moving_bytes.checks import true_ring, true_tree
from gpucluster.lessons.course.lesson_12_moving_bytes.checks_sharing import true_speed
from gpucluster.lessons.course.lesson_12_moving_bytes.tools import LINKS, Stage, staged
from gpucluster.lessons.figures import links as figures
from gpucluster.lessons.figures import staging as draw_stages
from gpucluster.lessons.simulations.ranks import mpiexec

from tests.lessons.drawings import SVG, drawings_of

SIZES = (1, 200_000)


@pytest.fixture(scope="module")
def measured() -> dict[str, links.Link]:
    return links.measure_links(SIZES)


@pytest.mark.full
def test_every_transport_of_this_machine_is_measured(measured: dict[str, links.Link]) -> None:
    assert {"inproc", SCHEME, "tcp", "tls", "ws"} <= set(measured) <= set(links.registered())
    for name, link in measured.items():
        assert link.sizes == SIZES
        assert all(0 < seconds < 5 for seconds in link.seconds)
        assert link.same_object == (name == "inproc")


@pytest.mark.full
def test_what_is_registered_and_cannot_be_measured_is_named(capsys: Any) -> None:
    assert set(links.measure_links((1,), ["tcp"])) == {"tcp"}
    assert capsys.readouterr().out == ""
    links.measure_links((1,))
    # Packages of other tests may have registered more.
    assert re.search(r"Registered, but not measured here: .*\bucx\b", capsys.readouterr().out)


@pytest.mark.full
def test_workers_send_each_other_blocks(client: Any, capsys: Any) -> None:
    link = links.measure_workers(client, SIZES)
    assert link is not None and link.sizes == SIZES and all(0 < seconds < 5 for seconds in link.seconds)
    assert link.where == f"{link.name}, two workers of this cluster" and capsys.readouterr().out == ""


@pytest.mark.full
def test_the_other_process_ends_with_the_measurement(measured: dict[str, links.Link]) -> None:
    commands = [" ".join(child.cmdline()) for child in psutil.Process().children(recursive=True)]
    assert not [command for command in commands if "probes.echoing" in command]


@pytest.mark.full
def test_the_other_process_listens_on_this_machine_only() -> None:
    told = {"addresses": {name: f"{name}://127.0.0.1:0" for name in ("tcp", "ws")}, "tls": {}}
    process = subprocess.Popen([sys.executable, "-m", echoing.__name__], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)  # fmt: skip
    try:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(told) + "\n")
        process.stdin.flush()
        addresses = json.loads(process.stdout.readline())
        listening = [one.laddr for one in psutil.Process(process.pid).net_connections() if one.status == "LISTEN"]
        assert {one.ip for one in listening} == {"127.0.0.1"}
        assert {int(address.rpartition(":")[2]) for address in addresses.values()} == {one.port for one in listening}
    finally:
        process.communicate(timeout=30)
    assert process.returncode == 0


@pytest.mark.full
def test_a_transport_that_refuses_is_a_sentence(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(links, "MEASURED", ("tcp", "ucx"))
    found = links.measure_links((1,))
    if "ucx" not in found:  # there is no distributed-ucxx here
        assert "ucx is registered, and could not be measured here (FutureWarning" in capsys.readouterr().out
    assert "tcp" in found


@pytest.mark.skipif(mpiexec() is None, reason="MPI is not installed")
@pytest.mark.full
def test_transports_between_ranks_of_one_program(capsys: Any) -> None:
    found = {"tcp": links.between_ranks("tcp", SIZES), **links.measure_links(SIZES, ["mpi"])}
    assert capsys.readouterr().out == ""
    assert list(found) == ["tcp", "mpi"]
    for link in found.values():
        assert link.where == "two ranks of one MPI program"
        assert all(0 < seconds < 5 for seconds in link.seconds)


@pytest.mark.parametrize(
    ("name", "gigabytes"),
    [("PCIe 3.0 ×16", 15.754), ("PCIe 4.0 ×16", 31.508), ("PCIe 5.0 ×16", 63.015), ("NVLink, H100", 450),
     ("InfiniBand HDR100", 12.5), ("InfiniBand HDR200", 25), ("InfiniBand NDR", 50), ("Ethernet 10 GbE", 1.25),
     ("PCIe 4.0 ×4, an NVMe drive", 7.877)],
)  # fmt: skip
def test_published_speeds(name: str, gigabytes: float) -> None:
    assert true_speed(LINKS[name]) / 1e9 == pytest.approx(gigabytes, rel=1e-4)


WAY = [Stage("drive", 1e-5, 5e9), Stage("bus", 1e-5, 20e9)]


def test_pieces_overlap_and_keep_their_order() -> None:
    whole = max(one.stop for one in staged(10**9, 10**9, WAY))
    pieces = staged(10**9, 10**8, WAY)
    assert whole == pytest.approx(0.25 + 2e-5)
    assert max(one.stop for one in pieces) == pytest.approx(0.2 + 10e-5 + 1e-5 + 0.005)
    for name in ("drive", "bus"):
        own = [one for one in pieces if one.stage == name]
        assert all(one.stop <= after.start + 1e-12 for one, after in zip(own, own[1:], strict=False))


def test_links_are_drawn_with_what_was_fitted(shown: list[Any], measured: dict[str, links.Link]) -> None:
    figures.links(measured, {"tcp": (1e-4, 1e9)})
    [picture] = drawings_of(shown[0])
    assert len(list(picture.iter(f"{SVG}circle"))) == len(SIZES) * len(measured)
    assert "tcp: " in repr(shown[0]) and "for 200 kB" in repr(shown[0])


def test_tree_and_ring_are_drawn_with_their_crossing(shown: list[Any]) -> None:
    figures.allreduce(true_tree, true_ring, 16, 5e-6, 12.5e9, 224_000.0)
    figures.allreduce(true_tree, true_ring, 3, 5e-6, 12.5e9, 0.0)
    assert all(drawings_of(one) for one in shown)
    assert "the lines cross at 224 kB" in repr(shown[0])
    assert "the ring is never slower" in repr(shown[1])


def test_speeds_ways_and_lanes_are_drawn(shown: list[Any]) -> None:
    figures.speeds({name: true_speed(link) for name, link in LINKS.items()}, 1e12)
    draw_stages.ways()
    draw_stages.lanes(10**9, 10**8, WAY)
    draw_stages.lanes(10**9, 10**5, WAY)
    assert all(drawings_of(one) for one in shown)
    assert "InfiniBand NDR: 50 GB/s, 20 s" in repr(shown[0])
    assert "1.0 GB in 10 pieces of 100 MB: 205 ms" in repr(shown[2])
    pieces = [box for box in drawings_of(shown[2])[0].iter(f"{SVG}rect") if box.find(f"{SVG}title") is not None]
    assert len(pieces) == 20


@pytest.mark.parametrize(
    ("seconds", "words"), [(3e-9, "3 ns"), (1e-6, "1 µs"), (2.5e-3, "2.5 ms"), (20, "20 s"), (800, "13.3 min"),
                           (20_000, "5.56 h"), (400_000, "4.63 days")],
)  # fmt: skip
def test_times_in_words(seconds: float, words: str) -> None:
    assert figures.in_seconds(seconds) == words


def test_nothing_to_draw_is_said(capsys: Any) -> None:
    figures.links({})
    assert "Nothing to draw yet" in capsys.readouterr().out
