"""The static picture: its texts, and no active content."""

from html.parser import HTMLParser

from gpucluster.protocol.messages import MessageCode
from gpucluster.protocol.models import ClusterModel, Wanted, WorkerModel
from gpucluster.widgets.picture import MOST_WORKERS, Picture

from tests.gauges.test_text import sample
from tests.models import cluster_model

GIB = 2**30
HOSTILE = "<script>alert(1)</script>\" onload='x' &"


def cluster(**changes: object) -> ClusterModel:
    workers = [WorkerModel(name=str(i), n_threads=1, memory_limit_bytes=GIB) for i in range(2)]
    wanted = {"wanted": Wanted(n_workers=2), "n_workers": 2, "workers": workers}
    return cluster_model("0123abcd", **{"name": "blue", "backend": "cuda", **wanted, **changes})


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.open: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_picture_escapes_names():
    model = cluster(name=HOSTILE).saying(dict.fromkeys((MessageCode.FAILED, MessageCode.CHOICE), HOSTILE))
    figures = sample(workers=[HOSTILE, "1"], memory_bytes=GIB // 2, memory_limit_bytes=GIB)
    found = Tags(Picture(model, figures, HOSTILE, "/base/gpucluster/dashboard/0123abcd/status").html)
    assert found.open == []
    assert found.tags <= {"div", "b", "span", "table", "tr", "th", "td", "a", "details", "summary"}
    assert set(found.attributes) <= {"style", "title", "href", "target", "rel"}
    assert found.attributes["href"] == {"/base/gpucluster/dashboard/0123abcd/status"}
    assert not [style for style in found.attributes["style"] if "url(" in style or "expression" in style]


def test_missing_figures():
    assert "State at" in Picture(cluster(), sample()).html
    assert "State at" not in Picture(cluster()).html
    figures = sample(memory_bytes=[GIB, GIB], memory_limit_bytes=[GIB, None])
    assert "2 GiB\n" in Picture(cluster(), figures).text


def test_many_workers_are_summed_up():
    names = [str(i) for i in range(1000)]
    html = Picture(cluster(n_workers=1000), sample(workers=names, memory_bytes=GIB, memory_limit_bytes=2 * GIB)).html
    assert f"and {1000 - MOST_WORKERS} more" in html
    assert "1000 GiB of 2 TiB (50 %)" in html
    assert len(html) < 20_000


def test_the_text_is_for_terminals():
    figures = sample(memory_bytes=GIB // 2, memory_limit_bytes=GIB, cpu_percent=[50.0, 25.0], n_threads=1)
    text = Picture(cluster(), figures).text
    assert text.splitlines()[0] == "blue: running, 2 workers"
    assert "1 GiB of 2 GiB (50 %)" in text
    assert "CPU 0.8 of 2 cores" in text
    assert repr(Picture(cluster())) == "blue: running, 2 workers"
