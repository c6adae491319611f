"""Runs of cells and scripts side by side: groups that became slower are found, noise is not."""

import random
from itertools import count

import pytest
from gpucluster.client.history.comparing import compare
from gpucluster.protocol.cells import CellTasks, CellWork, Where
from gpucluster.protocol.errors import InvalidRequest

SECONDS = {"read": 4.0, "clean": 2.0, "join": 6.0, "sum": 1.0, "names": 0.01}
"""Of a run by group; the last one is too short to be compared."""
NOISE = 0.03  # Standard deviation of a group from run to run; real runs on a quiet machine have 0.01 to 0.03.
_ids = count()


def tasks(name, seconds=1.0, n_tasks=8):
    return CellTasks(
        name=name, n_tasks=n_tasks, n_done=n_tasks, n_waiting=0, n_running=0, n_failed=0, n_cancelled=0,
        compute_seconds=seconds, transfer_seconds=0.0, result_bytes=0, shared=False,
    )  # fmt: skip


def where(**fields):
    facts = {"cluster_id": "0000000a", "cluster": "etl", "kind": "local", "host": "here", "versions": {"dask": "1"}}
    return Where(**facts | fields)


def cell(groups=None, **fields):
    facts = {"id": f"run-{next(_ids)}", "notebook": "lab/etl.ipynb", "number": 3, "cell": "c1", "client": "Client-1",
             "by_time": False, "began": "2026-11-29T10:00:00.000Z", "ended": "2026-11-29T10:00:08.000Z",
             "n_workers": 2, "where": where()}  # fmt: skip
    return CellWork(groups=groups or [tasks("read")], **facts | fields)


def runs(dice, slower=None, factor=1.0, n=5):
    """Return runs of a cell; the whole machine varies, and each group."""
    found = []
    for _ in range(n):
        machine = dice.gauss(1, NOISE / 2)
        seconds = {
            name: value * machine * dice.gauss(1, NOISE) * (factor if name == slower else 1)
            for name, value in SECONDS.items()
        }
        found.append(cell([tasks(name, value) for name, value in seconds.items()]))
    return found


def test_work_lasts_until_its_last_task_has_ended():
    last = tasks("read").model_copy(update={"first_seconds": 0.0, "last_seconds": 0.315})
    began, ended = "2026-11-29T10:00:00.000Z", "2026-11-29T10:00:00.314Z"
    assert cell([last], began=began, ended=ended).seconds == 0.315
    assert cell([tasks("read")], began=began, ended=ended).seconds == 0.314
    assert cell([last], began=began, ended=None).seconds is None


def test_seeded_regressions_are_found_and_named():
    """Ten of 10 to 30 %, in one group each, with five runs before and after; and ten pairs without one."""
    dice = random.Random(44)
    names = [name for name in SECONDS if name != "names"]
    found = []
    for number in range(10):
        slower = names[number % len(names)]
        comparison = compare(runs(dice), runs(dice, slower, 1.1 + 0.2 * number / 9))
        found.append(comparison.slower == [slower])
    assert sum(found) >= 9
    assert [compare(runs(dice), runs(dice)).slower for _ in range(10)] == [[]] * 10


@pytest.mark.full
def test_unchanged_groups_are_rarely_called_slower():
    """Of 500 pairs with four groups each."""
    dice = random.Random(45)
    assert sum(bool(compare(runs(dice), runs(dice)).slower) for _ in range(500)) <= 15


def test_too_few_runs_give_no_verdict():
    dice = random.Random(1)
    comparison = compare(runs(dice, n=1), runs(dice, "join", 3.0, n=1))
    [join] = [group for group in comparison.groups if group.name == "join"]
    assert join.ratio == pytest.approx(3, rel=0.2)
    assert comparison.slower == []
    assert "at least four of each are required" in comparison.text()


def test_a_certain_but_small_change_is_no_finding():
    pairs = [[cell([tasks("read", 1 + 0.001 * place + more)]) for place in range(5)] for more in (0, 0.03)]
    comparison = compare(*pairs)
    assert comparison.slower == []
    assert (comparison.groups[0].verdict, comparison.groups[0].words) == ("same", "differs by less than 5%")


def test_what_differs_is_listed():
    later = cell([tasks("read", n_tasks=16), tasks("merge")], n_workers=4, spilled_peak_bytes=3 * 2**30,
                 where=where(versions={"dask": "2"}), n_lost_workers=1)  # fmt: skip
    comparison = compare([cell()], [later])
    assert comparison.differences == [
        "workers: 2, then 4.",
        "lost workers: 0, then 1.",
        "dask: 1, then 2.",
        "partitions of read: 8, then 16.",
        "spilled at most: 0 B, then 3 GiB.",
    ]
    assert comparison.not_compared == ["merge of etl.ipynb [3] is only in the second."]


def test_two_runs_of_a_notebook_are_compared_cell_by_cell():
    first = [cell(), cell([tasks("sum")], cell="c2", number=4), cell(cell="c3")]
    second = [cell(number=8), cell([tasks("sum")], cell="c2", number=9)]
    comparison = compare(first, second)
    assert [work.name for work in comparison.works] == ["etl.ipynb [3]", "etl.ipynb [4]"]
    assert comparison.not_compared == ["etl.ipynb [3] is only in the first."]


def test_pieces_of_one_script_are_one_run():
    pieces = [cell([tasks(name)], by_time=True, cell=None, client="Client-7") for name in ("read", "sum")]
    later = [one.model_copy(update={"client": "Client-8"}) for one in pieces]
    [work] = compare(pieces, later).works
    assert (work.name, work.n_first, work.first_seconds) == ("Client-7", 1, 16.0)


def test_nothing_in_common_is_refused():
    with pytest.raises(InvalidRequest, match="no cell or script in common"):
        compare([cell(cell="c1"), cell(cell="c2")], [cell(cell="c8"), cell(cell="c9")])
    with pytest.raises(InvalidRequest, match="no cell or script in common"):
        compare([cell(ended=None)], [cell()])
