"""The checks of lesson 15, model."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from ...answers import Floats, number, several
from ...checks import exercise
from ...examination import Examination
from .material import problems, read_config, versions
from .simulations import Refused, StandIn

# No cluster needed: regimes that stay the same, the lift of a list, and the best split of a tree.


Labels = dict[int, list[Any]]


def true_choice(labels: Labels, at_least: float, smallest: float) -> int:
    """Return the largest number of clusters that is stable and has no tiny cluster; 0 where there is none."""
    good = [0]
    for k, runs in labels.items():
        agree = all(
            adjusted_rand_score(one, other) >= at_least for place, one in enumerate(runs) for other in runs[:place]
        )
        full = all(np.unique(run, return_counts=True)[1].min() >= smallest * len(run) for run in runs)
        good.append(k if agree and full else 0)
    return max(good)


def _runs(rng: np.random.Generator, k: int, kind: str, rows: int) -> list[Any]:
    """Return three labelings: the same with other names, one of which differs, or all with one tiny cluster."""
    base = rng.integers(0, k, rows)
    if kind == "tiny":
        base[base == k - 1] = 0
        base[:2] = k - 1
    runs = []
    for place in range(3):
        one = base.copy()
        if (kind == "unstable" and place == 2) or (kind == "first two agree only" and place == 2):
            one = rng.integers(0, k, rows)
        noise = rng.random(rows) < 0.01
        noise[base == k - 1] = False
        one[noise] = (one[noise] + 1) % max(k - 1, 1)
        runs.append(rng.permutation(k)[one])
    return runs


@exercise("15.4", "stable_k")
def check_stable(exam: Examination, stable_k: Any) -> None:
    """Fifteen hidden sets of labelings: names of clusters mean nothing, tiny clusters do not count."""
    kinds = ("stable", "tiny", "unstable", "first two agree only")
    for place in range(15):
        rows = int(exam.rng.integers(300, 500))
        names = [2, 3, 4, 5, 6][: int(exam.rng.integers(3, 6))]
        chosen = {k: str(exam.rng.choice(kinds, p=[0.4, 0.25, 0.15, 0.2])) for k in names}
        if place == 0:
            chosen = {2: "stable", 3: "stable", 4: "unstable", 5: "stable", 6: "tiny"}
        if place == 1:
            chosen = dict.fromkeys(names, "unstable")
        if place == 2:
            chosen = {2: "stable", 3: "tiny", 4: "tiny"}
        labels = {k: _runs(exam.rng, k, kind, rows) for k, kind in chosen.items()}
        order = [int(k) for k in exam.rng.permutation(list(labels))]
        given = {k: labels[k] for k in order}
        found = number(exam, exam.call(stable_k, given, 0.8, 0.02), "The result")
        true = true_choice(labels, 0.8, 0.02)
        sentence = {0: "If no number of clusters is suitable, it is 0"}.get(
            true, "It is the largest number whose runs all agree, and whose clusters are all large enough"
        )
        exam.expect(sentence, found == true, f"{found:g} where {true} is right; the runs: {_told(chosen)}")
        if not exam.passed:
            return
    for told, runs, at_least, smallest in _border_cases(exam.rng):
        given = {2: [exam.rng.permutation(2)[run % 2] for run in [runs[0]] * 2], 3: runs}
        found = number(exam, exam.call(stable_k, given, at_least, smallest), "The result")
        true = true_choice(given, at_least, smallest)
        exam.expect("Every pair of runs must agree, and every run must have only large clusters", found == true,
                    f"{found:g} where {true} is right; the runs of 3: {told}")  # fmt: skip


def _border_cases(rng: np.random.Generator) -> list[tuple[str, list[Any], float, float]]:
    """Return labelings with three clusters that a shorter look takes for stable, or a stricter one for unstable."""
    base = rng.permutation(np.repeat([0, 1, 2], [195, 195, 10]))

    def moved(run: Any, first: int, count: int) -> Any:
        """Give a number of rows of the clusters 0 and 1 to the other one, beginning with some row."""
        places = np.flatnonzero(run < 2)[first : first + count]
        other = run.copy()
        other[places] = 1 - other[places]
        return other

    apart = moved(base, 0, 25)  # an index of about 0.78 with base, so the mean of three is above 0.8
    steps = [base, moved(base, 0, 18), moved(moved(base, 0, 18), 100, 18)]  # 0.84, 0.84 and, from end to end, 0.69
    late = base.copy()
    late[np.flatnonzero(base == 2)[:6]] = 0
    renamed = [base, (base + 1) % 3, (base + 2) % 3]
    thirds = rng.permutation(np.repeat([0, 1, 2], 100))
    joined = thirds.copy()
    joined[np.flatnonzero(thirds == 2)[:90]] = 1  # an index of 0.56, and 0.71 of the information is common
    exactly = rng.permutation(np.repeat([0, 1, 2], [155, 155, 10]))  # 10 of 320 are 1/32, without rounding
    return [
        ("two agree, and one is a little apart", [base, base.copy(), apart], 0.8, 0.02),
        ("each agrees with the next one, but not the first with the last", steps, 0.8, 0.02),
        ("the first agrees with both others, but these do not agree", [steps[1], steps[0], steps[2]], 0.8, 0.02),
        ("all have an index above 0.8, whatever other measures say", [base, steps[1], base.copy()], 0.8, 0.02),
        ("in the last one, two clusters are nearly one", [thirds, thirds.copy(), joined], 0.6, 0.02),
        ("the last one has a tiny cluster", [base, base.copy(), late], 0.8, 0.02),
        ("all agree exactly", renamed, 1.0, 0.02),
        ("the smallest cluster has just the smallest share", [exactly, (exactly + 1) % 3, exactly.copy()], 0.8, 1 / 32),
    ]


def _told(chosen: dict[int, str]) -> str:
    return ", ".join(f"{k} {kind}" for k, kind in sorted(chosen.items()))


def true_lift(chance: Floats, late: Any, share: float) -> float:
    """Return how many times as often the first ones are late; equal chances count by their mean."""
    top = max(1, int(np.floor(share * len(chance) + 1e-9)))
    border = np.sort(chance)[::-1][top - 1]
    above, equal = chance > border, chance == border
    expected = late[above].sum() + (top - above.sum()) * late[equal].mean()
    return float(expected / top / late.mean())


@exercise("15.5", "lift")
def check_lift(exam: Examination, lift: Any) -> None:
    """Hidden lists: with equal chances, of one flight, in any order; a model that knows nothing has lift 1."""
    _expect_places_on_the_list(exam, lift)
    for place in range(40 if exam.passed else 0):
        rows = int(exam.rng.integers(5, 300))
        share = float(exam.rng.choice([0.05, 0.1, 0.25, 0.5, 1.0]))
        if place % 10 == 3:
            rows, share = int(exam.rng.integers(5, 15)), 0.05  # rounded down, there would be no flight on the list
        late = exam.rng.random(rows) < 0.3
        late[:2] = [True, False]
        late = late[exam.rng.permutation(rows)]
        chance = exam.rng.random(rows) * 0.5 + 0.3 * late
        if place % 3 == 1:
            chance = np.round(chance, 1)  # many are equal
        if place % 8 == 2:
            chance = np.full(rows, 0.25)
        given = late.astype("int64") if place % 2 else late
        found = number(exam, exam.call(lift, chance.copy(), given.copy(), share), "The lift")
        true = true_lift(chance, late, share)
        right = abs(found - true) < 1e-6
        if len(np.unique(chance)) == 1:
            sentence = "A model that gives all flights the same chance has a lift of 1"
        elif place % 3 == 1:
            sentence = "Flights with equal chances at the border count by their mean, whatever their order"
        elif int(share * rows) < 1:
            sentence = "The list has at least one flight"
        else:
            sentence = "It is the share of late flights on the list, divided by the share among all flights"
        exam.expect(sentence, right, f"{found:.4f} for {rows} flights, share {share:g}")
        if not exam.passed:
            return


def _expect_places_on_the_list(exam: Examination, lift: Any) -> None:
    """Lists of 1.75 and of 2.9 flights, and chances that differ in their tenth digit."""
    for rows, share in ((7, 0.25), (29, 0.1)):
        late = np.zeros(rows)
        chance = np.sort(exam.rng.random(rows))[::-1]
        late[: int(share * rows)] = 1  # the first ones are late, and the next one is not
        order = exam.rng.permutation(rows)
        found = number(exam, exam.call(lift, chance[order], late[order], share), "The lift")
        true = true_lift(chance, late, share)
        exam.expect("The number of flights on the list is rounded down", abs(found - true) < 1e-6,
                    f"{found:.4f} for {rows} flights, share {share:g}; "
                    f"late: the first {int(share * rows)} by chance")  # fmt: skip
    rows = int(exam.rng.integers(40, 80))
    ranks = exam.rng.permutation(rows)
    close = np.asarray(0.3 + ranks * 1e-10, dtype=float)
    latest = ranks >= rows - rows // 4
    found = number(exam, exam.call(lift, close.copy(), latest.copy(), 0.1), "The lift")
    exam.expect("Probabilities are compared with all digits",
                abs(found - true_lift(close, latest, 0.1)) < 1e-6,
                f"{found:.4f} for {rows} flights, share 0.1")  # fmt: skip


def true_split(gradients: Floats, hessians: Floats, penalty: float) -> tuple[Floats, float]:
    """Return the gain of each split (features, bins), and the largest."""
    left_g, left_h = np.cumsum(gradients, axis=1), np.cumsum(hessians, axis=1)
    all_g, all_h = left_g[:, -1:], left_h[:, -1:]
    gain = left_g**2 / (left_h + penalty) + (all_g - left_g) ** 2 / (all_h - left_h + penalty)
    gain = gain - all_g**2 / (all_h + penalty)
    gain[:, -1] = 0.0
    return gain, float(gain.max())


@exercise("15.7", "best_split")
def check_split_of_tree(exam: Examination, best_split: Any) -> None:
    """Forty hidden histograms: the gain is the largest there is, and belongs to the split that is named."""
    for place in range(40):
        shape = (int(exam.rng.integers(1, 6)), int(exam.rng.integers(2, 12)))
        counts = exam.rng.integers(0, 40, shape[1])
        hessians = np.stack([exam.rng.permutation(counts) * 0.2 for _ in range(shape[0])])
        gradients = exam.rng.normal(0, 1, shape) * np.sqrt(hessians)
        gradients[:, 0] += -gradients.sum(axis=1) + float(exam.rng.normal(0, 3))  # all rows: the same for each feature
        penalty = float(exam.rng.choice([0.5, 1.0, 10.0]))
        if place % 8 == 5:
            gradients, hessians = np.zeros(shape), hessians + 0.1
        result = exam.call(best_split, gradients.copy(), hessians.copy(), penalty)
        names = ("feature", "bin", "gain")
        parts = zip(several(exam, result, *names), names, strict=True)
        feature, at, gain = (number(exam, part, name) for part, name in parts)
        inside = 0 <= feature < shape[0] and 0 <= at < shape[1] and feature == int(feature) and at == int(at)
        exam.require("feature and bin are places in the histograms", inside, f"({feature:g}, {at:g})")
        gains, best = true_split(gradients, hessians, penalty)
        if best <= 1e-9:
            exam.expect("If no split gains anything, all rows stay left: (0, last bin, 0.0)",
                        (feature, at) == (0, shape[1] - 1) and abs(gain) < 1e-9,
                        f"({feature:g}, {at:g}, {gain:.3g})")  # fmt: skip
        else:
            exam.expect("The gain is the largest over all features and bins", abs(gain - best) < 1e-6 * max(1, best),
                        f"{gain:.4f}")  # fmt: skip
            exam.expect("The returned split has this gain; rows up to and including its bin go left",
                        abs(gains[int(feature), int(at)] - best) < 1e-6 * max(1, best),
                        f"feature {feature:g}, bin {at:g}: {describe_gain(gains, feature, at)}")  # fmt: skip
        if not exam.passed:
            return


def describe_gain(gains: Floats, feature: float, at: float) -> str:
    """Say what a split gains."""
    return f"gains {gains[int(feature), int(at)]:.4f}"


# No cluster needed: scores in a file that is whole or not there, and a repository for a server.


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
            exam.expect("If the file cannot be written, the error is not hidden", told,
                        "it was raised" if told else "it returned anyway")  # fmt: skip
        same = (folder / "2013.11.parquet").is_file() and (folder / "2013.11.parquet").read_bytes() == before
        exam.expect("A failed run does not change the file of the last good run", same,
                    "it is unchanged" if same else "it is corrupted, or gone")  # fmt: skip
        half = (folder / "2013.12.parquet").exists()
        exam.expect("A failed run leaves no partial file under the final name", not half,
                    "2013.12.parquet is there" if half else "there is none")  # fmt: skip
        broken = _halves(folder)
        exam.expect("No file that ends with .parquet is partial", not broken, ", ".join(broken) or "all are whole")
        exam.expect("No such file is partial during writing either: a crash cleans nothing up", not seen,
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
    exam.expect("The flights are in order, with their values", same, "they are" if same else "something has moved")
    close = np.allclose(found["chance"].to_numpy(dtype=float), chance, rtol=0, atol=1e-12)
    exam.expect(
        "chance is the model's probability for each flight, not rounded",
        close,
        "it is" if close else "different numbers",
    )


def _expect_only(exam: Examination, folder: Path, names: set[str]) -> None:
    found = {path.name for path in folder.iterdir()}
    exam.expect("After a run, nothing else is in the folder", found == names,
                ", ".join(sorted(found - names)) or "there is not")  # fmt: skip


@exercise("15.10", "publish", repeats=False)
def check_repository(exam: Examination, publish: Any) -> None:
    """Hidden models of other names and sizes: the repository is sound, and the stand-in answers from it."""
    from .material import PROGRAM

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
                    exam.expect("Publishing a model again creates the next version and keeps the old one", kept,
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
        "The newest version returns this model's probabilities", right, "it does" if right else "different numbers"
    )
    if not right:
        return
    alike = np.allclose(several[0]["CHANCE"][:2], several[1]["CHANCE"])
    exam.expect("It answers two requests at the same time", alike, "it does" if alike else "different numbers")
    for rows_given, columns, why in ((largest + 1, features, "more rows than the largest batch"),
                                     (1, features + 1, "one feature too many")):  # fmt: skip
        try:
            served.infer({"FEATURES": np.zeros((rows_given, columns), dtype="float32")})
            refused = False
        except Refused:
            refused = True
        exam.expect(f"A request with {why} is refused", refused, "it is" if refused else "it was answered")
