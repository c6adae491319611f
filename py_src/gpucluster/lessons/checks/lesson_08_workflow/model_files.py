"""Lesson 08, one model to take along: written to a file, read again, used without the cluster."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ...examination import Examination, type_name
from ...material.conversion import as_numpy
from ...simulations.recovery import TaskHistory
from .. import exercise
from ..answers import in_blocks


@exercise("08.9", "keep", "bring_back")
def check_keeping(exam: Examination, keep: Any, bring_back: Any) -> None:
    """Two models go into two files; each comes back as itself and predicts the same."""
    from gpucluster.learn import KMeans, Ridge

    X = exam.rng.normal(size=(4000, 4)) + exam.rng.integers(0, 3, (4000, 1)) * 6
    y = X @ exam.rng.normal(size=4) + 1
    with exam.client.as_current(), tempfile.TemporaryDirectory() as folder:
        rows = in_blocks(X, [2000, 2000])
        models = [
            KMeans(3, init=X[:3] + exam.rng.normal(size=(3, 4)), n_init=1).fit(rows),
            Ridge(alpha=1.0).fit(rows, in_blocks(y, [2000, 2000])),
        ]
        queries = np.concatenate([exam.rng.normal(3, 4, (60, 4)), _between(exam, as_numpy(models[0].cluster_centers_))])
        true = [np.asarray(as_numpy(model.predict(queries))) for model in models]
        home = Path(folder) / "models"
        home.mkdir()
        paths = [home / name for name in ("groups.model", "line.model")]
        for model, path in zip(models, paths, strict=True):
            _keep(exam, keep, model, str(path))
        for model, path, expected in zip(models, paths, true, strict=True):
            exam.require("There is a file at the path that was given", path.is_file(), f"no {path.name}")
            size = path.stat().st_size
            exam.expect(
                "The file holds the model, not the data",
                size < 0.3 * X.nbytes,
                f"{size:,} bytes; the data have {X.nbytes:,}",
            )
            again = exam.call(bring_back, str(path))
            exam.require("What comes back can predict", hasattr(again, "predict"), f"it is a {type_name(again)}")
            exam.expect(
                "It was read from the file, not remembered",
                again is not model,
                "another object" if again is not model else "the same object as before",
            )
            with TaskHistory(exam.client) as history:
                answer = exam.call(again.predict, queries.copy())
            exam.expect("It predicts in memory, without the cluster", not history.computed,
                        f"{sum(history.computed.values())} tasks ran on the workers")  # fmt: skip
            exam.expect("For rows in memory it answers at once, with numbers", not hasattr(answer, "compute"),
                        type_name(answer))  # fmt: skip
            found = np.asarray(as_numpy(answer))
            same = found.shape == expected.shape and bool(np.allclose(found, expected, rtol=1e-9, atol=1e-9))
            exam.expect(
                "It predicts the same, for rows in memory",
                same,
                f"{type_name(again)}: {'equal' if same else 'different'} for {len(queries)} rows",
            )
        exam.require("The files were not changed by reading", all(path.is_file() for path in paths), "one is gone")
        _expect_all_in_the_file(exam, bring_back, paths, queries, true)


def _between(exam: Examination, centres: Any) -> Any:
    """Rows so close to the border of two groups that only centres with all their digits put them on the right side."""
    one, other = (np.asarray(centres, dtype=float)[exam.rng.integers(0, len(centres), 60)] for _ in range(2))
    away = exam.rng.choice([-1, 1], (60, 1)) * exam.rng.uniform(1e-9, 3e-9, (60, 1))
    return (one + other) / 2 + away * (other - one)


def _expect_all_in_the_file(exam: Examination, bring_back: Any, paths: list[Path], queries: Any, true: Any) -> None:
    """A file that moves takes its model along, without any other file, and a file without content has none."""
    home = paths[0].parent
    elsewhere = home.parent / "elsewhere"
    elsewhere.mkdir()
    moved = [elsewhere / f"copy-{number}-of-{path.name}" for number, path in enumerate(paths)]
    for path, copy in zip(paths, moved, strict=True):
        shutil.copyfile(path, copy)
    shutil.rmtree(home)  # whatever was written beside the file is gone
    home.mkdir()
    for path, copy in zip(paths, reversed(moved), strict=True):
        shutil.copyfile(copy, path)  # each name now has the other's content
    for path, expected in zip([*moved, *reversed(paths)], [*true, *true], strict=True):
        exam.expect(
            "All of the model is in the file: a copy of it alone, in another folder, brings the same model back",
            _predicts(bring_back, path, queries, expected),
            f"read from {path.name}",
        )
    for path in paths:
        path.write_bytes(bytes(path.stat().st_size))
    left = [_predicts(bring_back, path, queries, one) for path in paths for one in true]
    exam.expect(
        "All of the model is in the file: where it is overwritten with zeros, nothing comes back",
        not any(left),
        "a model came back all the same" if any(left) else "no model",
    )


def _predicts(bring_back: Any, path: Path, queries: Any, expected: Any) -> bool:
    try:
        found = np.asarray(as_numpy(bring_back(str(path)).predict(queries.copy())))
        return found.shape == expected.shape and bool(np.allclose(found, expected, rtol=1e-9, atol=1e-9))
    except Exception:
        return False


def _keep(exam: Examination, keep: Any, model: Any, path: str) -> None:
    def called(*args: Any) -> bool:
        keep(*args)
        return True  # keep may return nothing

    exam.require("keep is a function", callable(keep), f"it is a {type_name(keep)}")
    exam.call(called, model, path)
