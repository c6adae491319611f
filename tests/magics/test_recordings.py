"""``%gpucluster record`` and ``%gpucluster replay`` with its widget in a real kernel."""

import gzip
import json
from collections.abc import Iterator

import pytest
from gpucluster.recordings.places import find_recording
from gpucluster.recordings.reading import read_recording

from tests.widgets.frontend import WIDGET, FrontEnd

pytestmark = pytest.mark.timeout(300)

BUNDLED = read_recording(find_recording("kmeans-cpu"))


@pytest.fixture(scope="module")
def page(shared_cluster) -> Iterator[FrontEnd]:
    made = FrontEnd()
    made.run("%load_ext gpucluster")
    yield made
    made.close()


@pytest.mark.full
def test_a_recording_begins_and_ends(page, tmp_path):
    page.run(f"%cd -q {tmp_path}\n%gpucluster record --stop")
    assert page.text("%gpucluster record --stop") == "Nothing is being recorded here.\n"
    said = page.text("%gpucluster record mine.jsonl.gz shared --note 'a note'")
    assert said == "Recording shared to mine.jsonl.gz. '%gpucluster record --stop' stops it.\n"
    assert page.text("%gpucluster record other.jsonl --seconds 1").startswith("Recording shared to other.jsonl.")
    page.read(2)
    sentence = page.text("%gpucluster record --stop nobody", "stderr")
    assert sentence == "'nobody' is not being recorded in this notebook. Active recordings: shared.\n"
    said = page.text("%gpucluster record --stop shared")
    assert [line.split(" in ")[1].split(",")[0] for line in said.splitlines()] == ["mine.jsonl.gz", "other.jsonl"]
    assert read_recording(tmp_path / "mine.jsonl.gz").recording.note == "a note"
    assert read_recording(tmp_path / "other.jsonl").message is None
    assert page.text("%gpucluster record --stop") == "Nothing is being recorded here.\n"


@pytest.mark.full
def test_kernel_exit_completes_file(shared_cluster, tmp_path):
    made = FrontEnd()
    try:
        made.run(f"%cd -q {tmp_path}\n%load_ext gpucluster")
        made.text("%gpucluster record mine.jsonl.gz")
        made.shut_down()
    finally:
        made.close()
    assert read_recording(tmp_path / "mine.jsonl.gz").message is None


def test_a_recording_is_played_by_the_browser(page):
    (output,) = page.run("%gpucluster replay kmeans-cpu --speed 4")
    html, text = output["data"]["text/html"], output["data"]["text/plain"]
    for shown in (html, text):
        assert "k-means on two CPU workers" in shown
        assert "— not a live cluster" in shown
        assert "of 2 GiB" in shown
    assert "<script" not in html
    model = output["data"][WIDGET]["model_id"]
    state = page.models[model]
    assert (state["view"], state["speed"]) == ("recording", 4.0)
    assert "render" in state["_esm"] and ".gpc-Player" in state["_css"], "run 'jlpm build' first"
    # again it is the same widget, at another speed another one
    assert page.view("%gpucluster replay kmeans-cpu --speed 4") == model
    assert page.view("import gpucluster\ngpucluster.replay('kmeans-cpu')") != model


def test_recording_is_sent_once_and_compressed(page):
    packed = page.text("g = gpucluster.replay('kmeans-cpu')\nprint(g.session.hex())")
    session = json.loads(gzip.decompress(bytes.fromhex(packed)))
    assert session == json.loads(BUNDLED.encoded())


def test_the_moment_that_was_looked_at_is_kept(page):
    page.run("import gpucluster\ngpucluster.replay('kmeans-cpu', speed=2).close()")
    earlier = len(page.outputs)
    model = page.view("gpucluster.replay('kmeans-cpu', speed=2)")
    page.request(model, kind="opened", view="v1", keeps=True)
    page.until(lambda: page.pictures(model))
    assert at(-1) in page.pictures(model)[-1]
    page.request(model, kind="moment", sample=3)
    page.until(lambda: at(3) in page.pictures(model)[-1])
    before = len(page.pictures(model))
    for place in (10**6, -1, "x", None, 1.5):
        page.request(model, kind="moment", sample=place)
    page.say(model, {"method": "update", "state": {"session": "x", "speed": 64, "note": "<b>"}})
    page.request(model, kind="stop")
    page.request(model, kind="scale", n_workers=0)
    states = page.text("print(gpucluster.connect().state, gpucluster.replay('kmeans-cpu', speed=2).speed)")
    assert states == "running 2.0\n"
    assert len(page.pictures(model)) == before
    # closing it leaves the picture
    page.run("gpucluster.replay('kmeans-cpu', speed=2).close()")
    page.until(lambda: model in page.closed)
    shown = [output for output in page.outputs[earlier:] if at(3) in output["data"].get("text/html", "")]
    assert len(shown) == 1
    assert WIDGET not in shown[0]["data"]


def at(place: int) -> str:
    return "State at " + BUNDLED.samples[place].at[:19].replace("T", " ")
