"""Models come back as they were; files that are none are refused, whatever is in them."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import gpucluster.learn as learn
import numpy as np
import pandas as pd
import pytest
from gpucluster.learn import load, save
from gpucluster.learn.errors import InvalidParameter, NotSupported, UnreadableModel
from gpucluster.learn.estimator import DistributedEstimator
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

X, Y = load_digits(return_X_y=True)
X, Y = X[:300] / 16, Y[:300]
WORDS = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])[Y]
FITTED: dict[str, Any] = {
    "DBSCAN": lambda: learn.DBSCAN(eps=1.0).fit(X),
    "ElasticNet": lambda: learn.ElasticNet(alpha=0.01).fit(X, Y),
    "GaussianNB": lambda: learn.GaussianNB(var_smoothing=1e-3).fit(X, WORDS),
    "KMeans": lambda: learn.KMeans(5, random_state=0).fit(pd.DataFrame(X).rename(columns=str)),
    "Lasso": lambda: learn.Lasso(alpha=0.01).fit(X, Y),
    "LinearRegression": lambda: learn.LinearRegression().fit(X, np.stack([Y, -Y], axis=1)),
    "LogisticRegression": lambda: learn.LogisticRegression().fit(X, WORDS),
    "MLPClassifier": lambda: learn.MLPClassifier((8, 4), max_iter=2, random_state=0).fit(X, WORDS),
    "MaxAbsScaler": lambda: learn.MaxAbsScaler(clip=True).fit(X.astype(np.float32)),
    "MinMaxScaler": lambda: learn.MinMaxScaler((-1, 2.5), clip=True).fit(X.astype(np.float32)),
    "MultinomialNB": lambda: learn.MultinomialNB().fit(X, Y),
    "PCA": lambda: learn.PCA(4).fit(X.astype(np.float32)),
    "RandomForestClassifier": lambda: learn.RandomForestClassifier(5, random_state=0).fit(X, WORDS),
    "RandomForestRegressor": lambda: learn.RandomForestRegressor(5, random_state=0).fit(X, Y),
    "Ridge": lambda: learn.Ridge(alpha=0.5).fit(X, Y),
    "StandardScaler": lambda: learn.StandardScaler().fit(X),
    "TruncatedSVD": lambda: learn.TruncatedSVD(3).fit(X),
    "OneHotEncoder": lambda: learn.OneHotEncoder().fit(pd.DataFrame({"word": WORDS, "odd": Y % 2})),
    "OrdinalEncoder": lambda: learn.OrdinalEncoder().fit(pd.DataFrame({"word": WORDS, "odd": Y % 2})),
    "LabelEncoder": lambda: learn.LabelEncoder().fit(WORDS),
    "LabelBinarizer": lambda: learn.LabelBinarizer(neg_label=-1).fit(WORDS),
}
NEED_THEIR_DATA = {"NearestNeighbors", "KNeighborsClassifier", "KNeighborsRegressor"}


def answers(model: Any) -> list[Any]:
    """Return everything that the model says of some rows."""
    if isinstance(model, learn.OneHotEncoder | learn.OrdinalEncoder):
        return [np.asarray(model.transform(pd.DataFrame({"word": WORDS[:20], "odd": Y[:20] % 2})))]
    if isinstance(model, learn.LabelEncoder | learn.LabelBinarizer):
        return [model.transform(WORDS[:20])]
    rows: Any = X[:20].astype(np.float32) if isinstance(model, learn.PCA) else X[:20]
    if hasattr(model, "feature_names_in_"):
        rows = pd.DataFrame(rows).rename(columns=str)
    methods = [name for name in ("predict", "predict_proba", "transform") if hasattr(model, name)]
    return [np.asarray(getattr(model, name)(rows)) for name in methods]


def test_all_estimators_are_here() -> None:
    estimators = {
        name
        for name in learn.__all__
        if isinstance(value := getattr(learn, name), type) and issubclass(value, DistributedEstimator)
    }
    assert estimators - NEED_THEIR_DATA == set(FITTED)


@pytest.mark.parametrize("name", sorted(FITTED))
def test_there_and_back(name: str, tmp_path: Path) -> None:
    model = FITTED[name]()
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    assert type(again) is type(model)
    assert repr(again) == repr(model)
    for one, other in zip(answers(again), answers(model), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    fitted = [name for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")]
    assert set(fitted) == {name for name in vars(again) if name.endswith("_") and not name.startswith("_")}
    assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_what_needs_its_data(tmp_path: Path) -> None:
    with pytest.raises(NotSupported, match="cannot be saved"):
        save(learn.NearestNeighbors().fit(X), tmp_path / "model")


def test_before_fit(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        save(learn.KMeans(), tmp_path / "model")
    with pytest.raises(InvalidParameter, match="Use joblib for other objects"):
        save(X, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_written_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save(FITTED["PCA"](), path)
    before = path.read_bytes()
    model = FITTED["KMeans"]()
    model.random_state = np.random.RandomState(0)
    with pytest.raises(NotSupported, match="random_state: RandomState cannot be saved"):
        save(model, path)
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


def rewritten(path: Path, change: Any) -> Path:
    """Return a copy of a model's file with another document or other arrays."""
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(files["model.json"])
    change(document, files)
    files["model.json"] = json.dumps(document).encode()
    changed = path.with_suffix(".changed")
    with zipfile.ZipFile(changed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return changed


class Harm:
    def __reduce__(self) -> Any:
        return (print, ("harm",))


def no_version(document: Any, files: Any) -> None:
    document["format"] = 99


def other_class(document: Any, files: Any) -> None:
    document["class"] = "subprocess.Popen"


def a_function(document: Any, files: Any) -> None:
    document["class"] = "save"


def a_method(document: Any, files: Any) -> None:
    document["attributes"]["predict"] = "gone"


def private(document: Any, files: Any) -> None:
    document["attributes"]["__class__"] = "gone"


def missing(document: Any, files: Any) -> None:
    del files["0.npy"]


def unknown_kind(document: Any, files: Any) -> None:
    document["attributes"]["n_iter_"] = {"eval": "1"}


def pickled(document: Any, files: Any) -> None:
    array = np.empty(1, dtype=object)
    array[0] = Harm()
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    files["0.npy"] = file.getvalue()


@pytest.mark.parametrize(
    "change", [no_version, other_class, a_function, a_method, private, missing, unknown_kind, pickled]
)
def test_files_that_were_changed(change: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(FITTED["KMeans"](), tmp_path / "model")
    with pytest.raises(UnreadableModel):
        load(rewritten(tmp_path / "model", change))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field in ("left_child", "right_child") for value in (10**9, -7, 0)]
    + [("feature", 10**9), ("feature", -7)],
)
def test_trees_that_lead_elsewhere(field: str, value: int, tmp_path: Path) -> None:
    """scikit-learn would follow such a number out of the array."""

    def change(document: Any, files: Any) -> None:
        tree = dict(document["attributes"]["estimators_"]["list"][0]["tree"]["dict"])
        nodes = dict(tree["nodes"]["dict"])
        name = f"{nodes[field]['array']}.npy"
        array = np.load(io.BytesIO(files[name]))
        array[0] = value
        file = io.BytesIO()
        np.save(file, array)
        files[name] = file.getvalue()

    save(FITTED["RandomForestRegressor"](), tmp_path / "model")
    with pytest.raises(UnreadableModel, match="refers to nodes or columns that do not exist"):
        load(rewritten(tmp_path / "model", change))


@pytest.mark.parametrize("content", [b"", b"hello", pickle.dumps(Harm()), b"PK\x03\x04" + b"\0" * 40])
def test_other_files(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model"
    path.write_bytes(content)
    with pytest.raises(UnreadableModel, match="was not written by gpucluster.learn.save"):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")
    assert capsys.readouterr().out == ""
