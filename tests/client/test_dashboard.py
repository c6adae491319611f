"""Names of dashboard pages."""

import pytest
from distributed.dashboard.scheduler import applications
from gpucluster.client.display.dashboard import PAGES, find_page, page_names
from gpucluster.protocol.errors import InvalidRequest


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("task-stream", "individual-task-stream"), ("Task stream", "individual-task-stream"),
        ("task_stream", "individual-task-stream"), ("individual-task-stream", "individual-task-stream"),
        ("/individual-progress", "individual-progress"), ("status", "status"),
        ("GPU memory", "individual-gpu-memory"), ("profile", "profile"), ("Profile, whole page", "profile"),
    ],
)  # fmt: skip
def test_a_page_by_its_names(text: str, path: str) -> None:
    assert find_page(text).path == path


def test_dask_pages_are_found_by_name() -> None:
    ours = {page.path for page in PAGES}
    for path in applications:
        assert find_page(path).path == path.strip("/")
    assert {path.strip("/") for path in applications} <= ours


def test_listed_names_are_unique_and_found() -> None:
    names = page_names()
    assert len(set(names)) == len(PAGES)
    assert [find_page(name) for name in names] == list(PAGES)


@pytest.mark.parametrize("text", ["", "../status", "http://elsewhere", "x" * 1000, "status?a=b", "sta\ntus", "%2e%2e"])
def test_unknown_page_lists_the_known_ones(text: str) -> None:
    with pytest.raises(InvalidRequest, match="unknown page") as refused:
        find_page(text)
    assert "task-stream" in refused.value.message
    assert "\n" not in refused.value.message
    with pytest.raises(InvalidRequest, match="Did you mean 'task-stream'"):
        find_page("taskstream")
