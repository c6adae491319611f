"""What lesson 15 trains, serves, imitates and draws."""

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from gpucluster import learn
from gpucluster.lessons.course.lesson_15_capstone.material import (
    PROGRAM,
    NotReadable,
    bin_codes,
    boost,
    problems,
    read_config,
    versions,
)
from gpucluster.lessons.course.lesson_15_capstone.simulations import Accelerated, Refused, StandIn
from gpucluster.lessons.figures import capstone, vector
from gpucluster.lessons.probes.accelerator import STARTED, accelerators

from tests.lessons.drawings import sound
from tests.lessons.test_answers import solved

CONFIG = """# a comment
name: "late"
backend: "python"
max_batch_size: 4
input [ { name: "FEATURES" data_type: TYPE_FP32 dims: [ 2 ] } ]
output { name: 'CHANCE', data_type: TYPE_FP32; dims: 1 }
"""
MODEL = {"columns": ["a", "b"], "mean": [1.0, 2.0], "scale": [2.0, 4.0], "weights": [0.5, -1.0], "intercept": 0.25}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    version = tmp_path / "models" / "late" / "1"
    version.mkdir(parents=True)
    (version.parent / "config.pbtxt").write_text(CONFIG)
    (version / "model.py").write_text(PROGRAM)
    (version / "model.json").write_text(json.dumps(MODEL))
    return tmp_path / "models"


def by_hand(rows: Any) -> Any:
    z = (rows - MODEL["mean"]) / np.array(MODEL["scale"]) @ np.array(MODEL["weights"]) + MODEL["intercept"]
    return 1 / (1 + np.exp(-z))


class Shard:
    communicator = learn.SerialCommunicator()

    def __init__(self, X: Any, y: Any, cuts: list[int]) -> None:
        pieces = zip(np.split(X, cuts), np.split(y, cuts), strict=True)
        self.blocks = [type("Block", (), {"X": one, "y": other}) for one, other in pieces]


def rows_of(rng: np.random.Generator, count: int = 600) -> tuple[Any, Any, list[Any]]:
    X = rng.normal(size=(count, 3))
    y = (X[:, 0] * X[:, 1] > 0).astype("int64")  # no line separates these
    return X, y, [np.unique(np.quantile(X[:, place], np.arange(1, 8) / 8)) for place in range(3)]


def test_boosting_gives_the_same_for_any_blocks_and_learns_what_no_line_can() -> None:
    [best_split] = solved("15.7")
    X, y, edges = rows_of(np.random.default_rng(1))
    whole = boost(Shard(X, y, []), edges=edges, best_split=best_split, rounds=15)
    parts = boost(Shard(X, y, [5, 5, 300]), edges=edges, best_split=best_split, rounds=15)  # one block is empty
    np.testing.assert_allclose(whole.chance(X), parts.chance(X), atol=1e-9)
    assert whole.sent_bytes == 15 * (1 + 2 + 4) * 2 * 3 * 8 * 8
    assert np.all(np.diff(whole.losses) < 1e-9) and whole.losses[-1] < 0.8 * whole.losses[0]
    assert ((whole.chance(X) > 0.5) == y).mean() > 0.85


def test_boosting_agrees_with_its_own_loss_and_with_bins_by_hand() -> None:
    [best_split] = solved("15.7")
    X, y, edges = rows_of(np.random.default_rng(2), 200)
    found = boost(Shard(X, y, [100]), edges=edges, best_split=best_split, rounds=4)
    chance = found.chance(X)
    assert found.losses[-1] == pytest.approx(-np.log(np.where(y == 1, chance, 1 - chance)).mean())
    assert bin_codes(np.array([[edges[0][0]], [-99.0], [99.0]]), edges[:1]).ravel().tolist() == [1, 0, len(edges[0])]


@pytest.mark.full
def test_boosting_on_a_cluster_is_boosting_in_one_process(client: Any) -> None:
    import dask.array as da

    [best_split] = solved("15.7")
    X, y, edges = rows_of(np.random.default_rng(3))
    alone = boost(Shard(X, y, []), edges=edges, best_split=best_split, rounds=3)
    with client.as_current():
        ranks = learn.run_on_ranks(boost, da.from_array(X, chunks=(200, 3)), da.from_array(y, chunks=200),
                                   edges=edges, best_split=best_split, rounds=3)  # fmt: skip
    for one in ranks:
        np.testing.assert_allclose(one.chance(X), alone.chance(X), atol=1e-9)


def test_a_configuration_is_read_in_all_its_forms() -> None:
    config = read_config(
        CONFIG
        + "instance_group [ { kind: KIND_CPU count: 2 }, { count: 1 } ] version_policy: { latest { num_versions: 1 } }"
    )
    assert config["name"] == ["late"] and config["max_batch_size"] == [4]
    assert config["input"] == [{"name": ["FEATURES"], "data_type": ["TYPE_FP32"], "dims": [2]}]
    assert config["output"] == [{"name": ["CHANCE"], "data_type": ["TYPE_FP32"], "dims": [1]}]
    assert config["instance_group"] == [{"kind": ["KIND_CPU"], "count": [2]}, {"count": [1]}]
    assert config["version_policy"] == [{"latest": [{"num_versions": [1]}]}]
    assert read_config("") == {} and read_config("dims: [ 2, -1 ]") == {"dims": [2, -1]}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('name: "late', "no closing quote"),
        ("input [ { dims: [ 2 ] }", "comma|missing"),
        ("input { dims: 2", "is missing"),
        ("a: 1\n}", "line 2: } closes nothing"),
        ("name late", "no colon"),
        ("name:", "a value is missing"),
        ('"name": 3', "is not a field name"),
        ("dims: [ 1 2 ]", "a comma is missing"),
    ],
)
def test_a_faulty_configuration_is_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(NotReadable, match=sentence):
        read_config(text)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ('"late"', '"other"', "not that of its folder"),
        ('backend: "python"', "", "no backend"),
        ("max_batch_size: 4", "max_batch_size: -1", "max_batch_size"),
        ("max_batch_size: 4", "", "max_batch_size"),
        ("dims: [ 2 ]", "dims: [ 0 ]", "dims of input FEATURES"),
        ("dims: [ 2 ]", "", "dims of input FEATURES"),
        ("TYPE_FP32 dims", "FP32 dims", "data_type of input"),
        ("output {", "outputs {", "no field outputs"),
        ("output {", "input {", "there is no output"),
        ("'CHANCE'", "''", "its own name"),
    ],
)
def test_what_a_server_would_refuse_is_named(repository: Path, before: str, after: str, sentence: str) -> None:
    assert problems(repository) == []
    assert before in CONFIG
    (repository / "late" / "config.pbtxt").write_text(CONFIG.replace(before, after, 1))
    assert [one for one in problems(repository) if sentence in one]
    with pytest.raises(Refused, match="late: "):
        StandIn(repository, "late")


def test_the_layout_is_looked_at(repository: Path, tmp_path: Path) -> None:
    late = repository / "late"
    assert problems(tmp_path / "nothing") == ["The repository has no folder of a model."]
    (late / "1" / "model.py").write_text("def execute(): ...")
    assert "no class TritonPythonModel" in problems(repository)[0]
    (late / "1" / "model.py").write_text("class TritonPythonModel:\n    pass\n")
    assert "no method execute" in problems(repository)[0]
    (late / "1" / "model.py").write_text("class :")
    assert "is not valid Python" in problems(repository)[0]
    (late / "1" / "model.py").unlink()
    assert "has no model.py" in problems(repository)[0]
    (late / "1").rename(late / "01")
    assert versions(late) == [] and "no folder of a version" in problems(repository)[0]
    (late / "config.pbtxt").unlink()
    assert problems(repository) == ["late: config.pbtxt does not exist."]


def test_the_stand_in_answers_and_keeps_to_the_configuration(repository: Path) -> None:
    served = StandIn(repository, "late")
    rows = np.array([[1, 2], [3, 0], [0, 9]], dtype="float32")
    several = served.infer_together([{"FEATURES": rows}, {"FEATURES": rows[1:]}])
    np.testing.assert_allclose(several[0]["CHANCE"].ravel(), by_hand(rows), rtol=1e-6)
    np.testing.assert_allclose(several[1]["CHANCE"], several[0]["CHANCE"][1:])
    for wrong, sentence in (({"FEATURES": rows.astype(float)}, "type of input"), ({"ROWS": rows}, "Of input there is"),
                            ({"FEATURES": rows[:, :1]}, "shape of input"),
                            ({"FEATURES": np.zeros((5, 2), "float32")}, "at most 4")):  # fmt: skip
        with pytest.raises(Refused, match=sentence):
            served.infer(wrong)


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        ("return responses", "return responses[:1]", "1 responses to 2 requests"),
        (".astype(np.float32)", "", "type of output"),
        ('"CHANCE"', '"chance"', "Of output there is"),
        (".reshape(-1, 1)", "[:1].reshape(-1, 1)", "for each of the 2 rows"),
    ],
)
def test_a_model_that_does_not_keep_to_it_is_refused(repository: Path, before: str, after: str, sentence: str) -> None:
    text = PROGRAM.replace(before, after)
    (repository / "late" / "1" / "model.py").write_text(text)
    rows = np.zeros((2, 2), dtype="float32")
    with pytest.raises(Refused, match=sentence):
        StandIn(repository, "late").infer_together([{"FEATURES": rows}, {"FEATURES": rows}])


def test_the_highest_version_is_served_over_http(repository: Path) -> None:
    newer = repository / "late" / "10"
    newer.mkdir()
    (repository / "late" / "9").mkdir()
    for version in ("9", "10"):
        (repository / "late" / version / "model.py").write_text(PROGRAM)
        (repository / "late" / version / "model.json").write_text(json.dumps({**MODEL, "intercept": float(version)}))
    served = StandIn(repository, "late")
    assert served.version == 10

    def ask(path: str, body: Any = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(address + path, data), timeout=10) as response:
                return response.status, json.loads(response.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    with served.serve() as address:
        assert address.startswith("http://127.0.0.1:")
        assert ask("/v2/health/ready") == (200, {"ready": True})
        assert ask("/v2/models/late") == (200, {"name": "late", "versions": ["10"]})
        asked = {"name": "FEATURES", "shape": [1, 2], "datatype": "FP32", "data": [1, 2]}
        status, answer = ask("/v2/models/late/infer", {"inputs": [asked]})
        assert status == 200 and answer["model_version"] == "10"
        assert answer["outputs"][0]["data"] == [pytest.approx(1 / (1 + np.exp(-10.0)), rel=1e-6)]
        assert ask("/v2/models/other/infer", {})[0] == 404 and ask("/nothing")[0] == 404
        status, answer = ask("/v2/models/late/infer", {"inputs": [{**asked, "shape": [1, 3], "data": [1, 2, 3]}]})
        assert status == 400 and "shape" in answer["error"]
        assert ask("/v2/models/late/infer", {"inputs": [{"name": "FEATURES"}]})[0] == 400
    with pytest.raises(urllib.error.URLError):
        ask("/v2/health/ready")


def test_a_fallback_gives_what_pandas_gives_and_counts_copies() -> None:
    values = np.random.default_rng(4).normal(size=1000)
    column = Accelerated(values)
    result = column.abs().rank().clip(10, 900).cumsum()
    true = pd.Series(values).abs().rank().clip(10, 900).cumsum()
    assert result.mean() == pytest.approx(true.mean())
    assert [(call.name, call.fast, call.copied) for call in column.calls] == [
        ("abs", True, 0), ("rank", False, 8000), ("clip", True, 8000), ("cumsum", True, 0), ("mean", True, 0),
    ]  # fmt: skip
    [copies] = solved("15.11")
    assert sum(copies([(call.name, call.fast, 8000) for call in column.calls], 8000)) == 16000


def test_accelerators_are_named_whether_they_are_there_or_not() -> None:
    text = accelerators()
    assert [line.split()[0] for line in text.splitlines()] == list(STARTED)
    assert all("not installed here" in line or "installed: " in line for line in text.splitlines())


def test_pictures_are_sound_and_say_what_they_show(shown: list[vector.Picture]) -> None:
    capstone.journey([])
    capstone.journey(["business", "data", "preparation", "modelling", "preparation", "modelling"])
    means = pd.DataFrame({"temp": [50.0, 80.0], "humid": [90.0, 40.0], "wind_speed": [12.0, 5.0],
                          "precip": [0.05, 0.0], "visib": [3.0, 10.0]})  # fmt: skip
    capstone.kinds(means, pd.Series([0.3, 0.1]), pd.Series([100, 900]), 0.12)
    capstone.histograms(7, 16)
    capstone.losses([0.45, 0.41, 0.40])
    capstone.candidates([("today", 1.8, "today"), ("all", 3.4, "go")], 3.0)
    capstone.months({10: 3.4, 12: 2.4}, 3.2, {"at_least": 3.0, "worst_month": 2.5})
    capstone.drift({"same": {"temp": 0.1, "hour": 0.0}, "december": {"temp": 3.4, "hour": 0.01}}, 0.25)
    capstone.chains({"one": ([("abs", True, 8.0), ("rank", False, 8.0)], (8.0, 0.0))})
    assert len(shown) == 9
    for picture in shown:
        assert len(sound(picture.svg()).get("aria-label") or "") > 40
    words = [picture.words for picture in shown]
    assert "rain" in words[2] and "30%" in words[2]
    assert "December: 2.40, at least 2.5 required" in words[6]
    assert "same: none" in words[7] and "december: temp 3.40" in words[7]


def test_pictures_wait_for_the_exercise(capsys: pytest.CaptureFixture[str]) -> None:
    capstone.drift({}, 0.25)
    capstone.chains({})
    assert capsys.readouterr().out.count("Nothing to draw yet") == 2
