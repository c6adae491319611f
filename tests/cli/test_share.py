"""``gpucluster share``: links by which others can look at a cluster."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gpucluster.registry.links import find_link, living_links, withdraw_links

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder(shared_cluster: Any, shared_site: Any) -> Iterator[Any]:
    folder = shared_site.registry.folder(shared_cluster.id)
    yield folder
    withdraw_links(folder, None)


def test_a_link_is_made_listed_and_withdrawn(folder: Any, gpucluster: Run, answer: Callable[..., Any]) -> None:
    assert gpucluster("share", "shared", "--list").stdout == "No link shows this cluster.\n"
    made = gpucluster("share", "shared", "--hours", "0.5", "--tasks")
    assert made.returncode == 0, made.stderr
    # What comes besides is for a terminal: a pipe has the link and nothing else.
    address, token = made.stdout.strip().split("#")
    [stored] = living_links(folder)
    assert address.endswith(f"gpucluster/shared/{folder.id}/") and find_link([stored], token) is not None
    assert made.stderr == ""
    # The only cluster needs no name.
    second = answer("share")
    listed = gpucluster("share", "shared", "--list").stdout
    assert [line.split()[0] for line in listed.splitlines()[1:]] == [stored.link.id, second["link"]["id"]]
    assert "figures, tasks" in listed and "never" in listed
    assert token not in listed and second["path"].split("#")[1] not in listed
    gone = gpucluster("share", "shared", "--withdraw", stored.link.id)
    assert gone.stdout == f"{stored.link.id}: withdrawn, opened never\n"
    assert [link["id"] for link in answer("share", "shared", "--withdraw", "all")["links"]] == [second["link"]["id"]]
    assert gpucluster("share", "shared", "--withdraw", "all").stdout == "There was no link.\n"
    assert living_links(folder) == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--hours", "soon"), "--hours: must be a number of hours, not 'soon'."),
        (("--hours", "25"), "24"),
        (("--hours", "-1"), "hours"),
        (("--hours", "nan"), "hours"),
        (("--list", "--withdraw", "all"), "one at a time"),
        (("--list", "--tasks"), "one at a time"),
        (("--public",), "does not allow public links"),
        (("--withdraw", "00000000"), "has no such link"),
    ],
)
def test_bad_words_are_a_sentence(folder: Any, gpucluster: Run, words: tuple[str, ...], sentence: str) -> None:
    done = gpucluster("share", "shared", *words)
    assert done.returncode != 0 and done.stdout == ""
    assert sentence in done.stderr and "Traceback" not in done.stderr
    assert living_links(folder) == []


def test_a_cluster_that_is_not_there_has_no_link(shared_cluster: Any, gpucluster: Run) -> None:
    done = gpucluster("share", "nobody")
    assert done.returncode != 0 and "There is no cluster 'nobody'" in done.stderr
