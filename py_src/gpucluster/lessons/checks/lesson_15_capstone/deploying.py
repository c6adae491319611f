"""Lesson 15, no cluster needed: scores in a file that is whole or not there, and a repository for a server."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ...examination import Examination
from ...material.modelrepository import problems, read_config, versions
from ...simulations.inferenceserver import Refused, StandIn
from .. import exercise
from ..answers import number


@contextmanager
def disk_full(look: Callable[[], None]) -> Iterator[None]:
    """Let each writing of Parquet begin, and then fail, as on a disk without space; look at the folder in between."""
    import pyarrow.parquet

    write = pyarrow.parquet.write_table

    def broken(_table: Any, where: Any, *_args: Any, **_kwargs: Any) -> None:
        if hasattr(where, "write"):
            where.write(b"PAR1 half a")
        else:
            Path(str(where)).write_bytes(b"PAR1 half a")
        look()
        raise OSError("No space left on device")

    pyarrow.parquet.write_table = broken
    try:
        yield
    finally:
        pyarrow.parquet.write_table = write


def _flights(rng: np.random.Generator, rows: int) -> Any:
    import pandas as pd

    return pd.DataFrame({
        "flight": rng.integers(1, 9000, rows).astype("int32"), "carrier": rng.choice(["UA", "B6", "DL"], rows),
        "now": np.round(rng.normal(8, 12, rows), 2), "hour": rng.integers(5, 23, rows).astype("int32"),
    }, index=rng.permutation(rows) + 7)  # fmt: skip


@exercise("15.8", "score_month", repeats=False)
def check_scorer(exam: Examination, score_month: Any) -> None:
    """Files of hidden months: all rows in order, the same when it runs again, never half a file."""
    import pandas as pd

    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        slope = float(exam.rng.uniform(0.01, 0.05))

        def chance(table: Any) -> Any:
            return 1 / (1 + np.exp(-slope * np.asarray(table["now"], dtype=float)))

        for name in ("2013.10", "2013.11"):
            table = _flights(exam.rng, int(exam.rng.integers(3, 200)))
            for time in ("first", "second"):
                count = number(exam, exam.call(score_month, table.copy(), chance, folder, name), "What it returns")
                exam.expect("It returns the number of flights", count == len(table), f"{count:g} of {len(table)}")
                _expect_file(exam, folder / f"{name}.parquet", table, chance(table), time)
            if not exam.passed:
                return
        _expect_only(exam, folder, {"2013.10.parquet", "2013.11.parquet"})
        if not exam.passed:
            return
        shorter = _flights(exam.rng, 5)
        exam.call(score_month, shorter.copy(), chance, folder, "2013.11")
        _expect_file(exam, folder / "2013.11.parquet", shorter, chance(shorter), "corrected")
        before = (folder / "2013.11.parquet").read_bytes()
        seen: list[str] = []
        for name in ("2013.11", "2013.12"):
            with disk_full(lambda: seen.extend(_halves(folder))):
                try:
                    score_month(_flights(exam.rng, 9), chance, folder, name)
                    told = False
                except Exception:
                    told = True
            exam.expect("Where the file cannot be written, the error is not hidden", told,
                        "it came out" if told else "it returned all the same")  # fmt: skip
        same = (folder / "2013.11.parquet").is_file() and (folder / "2013.11.parquet").read_bytes() == before
        exam.expect("A run that fails leaves the file of the last good run as it was", same,
                    "it is as it was" if same else "it is damaged, or gone")  # fmt: skip
        half = (folder / "2013.12.parquet").exists()
        exam.expect("A run that fails leaves no half file under the final name", not half,
                    "2013.12.parquet is there" if half else "there is none")  # fmt: skip
        broken = _halves(folder)
        exam.expect("Nothing that ends with .parquet is half a file", not broken, ", ".join(broken) or "all are whole")
        exam.expect("Nor is it while something is written: what crashes then cleans nothing up", not seen,
                    ", ".join(seen) or "all are whole")  # fmt: skip
        if exam.passed:
            table = _flights(exam.rng, 11)
            exam.call(score_month, table.copy(), chance, folder, "2013.12")
            _expect_file(exam, folder / "2013.12.parquet", table, chance(table), "repeated")
            rest = pd.read_parquet(folder / "2013.10.parquet")
            exam.expect("The files of other months stay", len(rest) > 0, f"{len(rest)} rows")


def _halves(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("*.parquet") if path.read_bytes()[-4:] != b"PAR1"]


def _expect_file(exam: Examination, file: Path, table: Any, chance: Any, time: str) -> None:
    import pandas as pd

    exam.require("The file is the name and .parquet, in the folder", file.is_file(), f"no {file.name}")
    try:
        found = pd.read_parquet(file)
    except Exception as error:
        exam.require("The file can be read as Parquet", False, f"{type(error).__name__}: {error}")
        return
    exam.require(f"The {time} run writes each flight once", len(found) == len(table),
                 f"{len(found)} rows of {len(table)}")  # fmt: skip
    wanted = [*table.columns, "chance"]
    exam.require("The columns are those of the table, and chance", set(found.columns) == set(wanted),
                 ", ".join(map(str, found.columns)))  # fmt: skip
    same = all(np.array_equal(found[name].to_numpy(), table[name].to_numpy()) for name in table.columns)
    exam.expect(
        "The flights are in their order, with their values", same, "they are" if same else "something is elsewhere"
    )
    close = np.allclose(found["chance"].to_numpy(dtype=float), chance, rtol=0, atol=1e-12)
    exam.expect(
        "chance is what the model says of each flight, not rounded", close, "it is" if close else "other numbers"
    )


def _expect_only(exam: Examination, folder: Path, names: set[str]) -> None:
    found = {path.name for path in folder.iterdir()}
    exam.expect("After a run there is nothing else in the folder", found == names,
                ", ".join(sorted(found - names)) or "there is not")  # fmt: skip


@exercise("15.10", "publish", repeats=False)
def check_repository(exam: Examination, publish: Any) -> None:
    """Hidden models of other names and sizes: the repository is sound, and the stand-in answers from it."""
    from ...material.modelprogram import PROGRAM

    for place in range(3):
        with tempfile.TemporaryDirectory() as home:
            repository = Path(home) / "models"
            name = ("late", "late_flights_2", "december")[place]
            features = [int(one) for one in exam.rng.permutation(np.arange(2, 9))[:2]]
            batches = [int(one) for one in exam.rng.permutation([8, 64, 500])[:2]]
            programs = [f"{PROGRAM}\n# program {one} of {name}\n" for one in (1, 2)]
            models = [_model(exam.rng, count) for count in features]
            for version in (1, 2):
                model, largest = models[version - 1], batches[version - 1]
                _published(exam, publish, (repository, name, model, programs[version - 1], largest), version)
                if not exam.passed:
                    return
                if version == 2:
                    kept = (repository / name / "1").is_dir() and (repository / name / "2").is_dir()
                    exam.expect("A model that is published again gets the next version, and the old one stays", kept,
                                f"versions {versions(repository / name)}")  # fmt: skip
                _expect_answers(exam, repository, name, model, largest)
            (repository / name / "10").mkdir()
            for path in (repository / name / "2").iterdir():
                if path.is_file():  # Python may have put its folder of compiled modules there.
                    (repository / name / "10" / path.name).write_bytes(path.read_bytes())
            _published(exam, publish, (repository, name, models[0], programs[0], batches[1]), 11)
            if not exam.passed:
                return
            _published(exam, publish, (repository, "other", models[0], programs[1], batches[1]), 1)
            if not exam.passed:
                return


def _model(rng: np.random.Generator, features: int) -> dict[str, Any]:
    return {"columns": [f"column {place}" for place in range(features)],
            "mean": rng.normal(5, 2, features).tolist(), "scale": rng.uniform(1, 3, features).tolist(),
            "weights": rng.normal(0, 1, features).tolist(), "intercept": float(rng.normal())}  # fmt: skip


def _published(exam: Examination, publish: Any, given: tuple[Any, ...], version: int) -> None:
    repository, name = given[0], given[1]
    returned = number(exam, exam.call(publish, *given), "What it returns")
    exam.expect("It returns the number of the new version, one more than the highest", returned == version,
                f"{returned:g}" if returned == version else f"{returned:g} instead of {version}")  # fmt: skip
    exam.require("The repository has a folder of the model's name", (repository / name).is_dir(), f"no folder {name}")
    wrong = problems(repository)
    exam.expect("The repository follows the rules of the server", not wrong, wrong[0] if wrong else "it does")
    if not wrong:
        _expect_files(exam, repository / name, version, *given[2:4])


def _expect_files(exam: Examination, folder: Path, version: int, model: dict[str, Any], program: str) -> None:
    config = read_config((folder / "config.pbtxt").read_text(encoding="utf-8"))
    exam.expect("The backend is python", config.get("backend") == ["python"], str(config.get("backend")))
    for kind, name, size in (("input", "FEATURES", len(model["columns"])), ("output", "CHANCE", 1)):
        found = [_tensor(tensor) for tensor in config[kind]]
        wanted = f"{name}, TYPE_FP32, dims [{size}]"
        exam.expect(f"There is one {kind}, of the right type, and its dims are those of one row", found == [wanted],
                    wanted if found == [wanted] else f"{'; '.join(found)} instead of {wanted}")  # fmt: skip
    same = _written(folder / str(version) / "model.py") == program
    exam.expect("model.py is the program", same, "it is" if same else "it is not there, or another text")
    try:
        same = json.loads(_written(folder / str(version) / "model.json")) == model
    except ValueError:
        same = False
    exam.expect("model.json is the model of this version", same, "it is" if same else "no JSON, or another model")


def _tensor(tensor: dict[str, list[Any]]) -> str:
    name, kind = (str(tensor.get(field, ["none"])[-1]) for field in ("name", "data_type"))
    return f"{name}, {kind}, dims {tensor.get('dims', [])}"


def _written(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""


def _expect_answers(exam: Examination, repository: Path, name: str, model: dict[str, Any], largest: int) -> None:
    config = read_config((repository / name / "config.pbtxt").read_text(encoding="utf-8"))
    exam.expect("max_batch_size is the largest batch", config.get("max_batch_size") == [largest],
                str(config.get("max_batch_size")))  # fmt: skip
    features = len(model["columns"])
    rows = exam.rng.normal(5, 3, (min(5, largest), features)).astype("float32")
    z = ((rows - np.array(model["mean"])) / np.array(model["scale"])) @ np.array(model["weights"]) + model["intercept"]
    try:
        served = StandIn(repository, name)
        several = served.infer_together([{"FEATURES": rows}, {"FEATURES": rows[:2]}])
    except Exception as error:
        exam.require("The stand-in loads the model and gets an answer", False, f"{type(error).__name__}: {error}")
        return
    right = "CHANCE" in several[0] and np.allclose(several[0]["CHANCE"].ravel(), 1 / (1 + np.exp(-z)), atol=1e-4)
    exam.expect(
        "The newest version answers with the chances of this model", right, "it does" if right else "other numbers"
    )
    if not right:
        return
    alike = np.allclose(several[0]["CHANCE"][:2], several[1]["CHANCE"])
    exam.expect("It answers two requests at once", alike, "it does" if alike else "other numbers")
    for rows_given, columns, why in ((largest + 1, features, "more rows than the largest batch"),
                                     (1, features + 1, "a feature too many")):  # fmt: skip
        try:
            served.infer({"FEATURES": np.zeros((rows_given, columns), dtype="float32")})
            refused = False
        except Refused:
            refused = True
        exam.expect(f"A request with {why} is refused", refused, "it is" if refused else "it was answered")
