"""Loaded models equal the saved ones; files of other formats and changed files are refused."""

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
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError

from tests.learn.shared import ESTIMATORS, refused

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
    "PCA": lambda: learn.PCA(4, whiten=True).fit(X.astype(np.float32)),
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


def answers(model: Any, other: Any = None) -> list[Any]:
    """Return the results of all methods of a model, or of another one of the same kind, for some rows."""
    asked = model if other is None else other
    if isinstance(model, learn.OneHotEncoder | learn.OrdinalEncoder):
        return [np.asarray(asked.transform(pd.DataFrame({"word": WORDS[:20], "odd": Y[:20] % 2})))]
    if isinstance(model, learn.LabelEncoder | learn.LabelBinarizer):
        return [asked.transform(WORDS[:20])]
    rows: Any = X[:20].astype(np.float32) if isinstance(model, learn.PCA) else X[:20]
    if hasattr(model, "feature_names_in_"):
        rows = pd.DataFrame(rows).rename(columns=str)
    methods = [name for name in ("predict", "predict_proba", "transform") if hasattr(model, name)]
    return [np.asarray(getattr(asked, name)(rows)) for name in methods]


def test_all_estimators_are_here() -> None:
    assert set(ESTIMATORS) - NEED_THEIR_DATA == set(FITTED)


@pytest.mark.parametrize("name", sorted(FITTED))
def test_save_and_load(name: str, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("name", sorted(FITTED))
def test_scikit_learns_models_give_the_same(name: str) -> None:
    model = FITTED[name]()
    theirs = model.get_combined_model()
    assert type(theirs) is model._plain_class()
    if hasattr(model, "labels_"):
        np.testing.assert_array_equal(theirs.labels_, model.labels_)
    for one, other in zip(answers(model, theirs), answers(model), strict=True):
        if other.dtype.kind == "f":
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
        else:
            np.testing.assert_array_equal(one, other)


def test_models_that_need_their_data_are_refused(tmp_path: Path) -> None:
    refused(NotSupported, "cannot be saved", lambda: save(learn.NearestNeighbors().fit(X), tmp_path / "model"))


def test_unfitted_models_and_other_objects_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        save(learn.KMeans(), tmp_path / "model")
    refused(InvalidParameter, "Use joblib for other objects", lambda: save(X, tmp_path / "model"))
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save(FITTED["PCA"](), path)
    before = path.read_bytes()
    model = FITTED["KMeans"]()
    model.random_state = np.random.RandomState(0)
    refused(NotSupported, "random_state: RandomState cannot be saved", lambda: save(model, path))
    assert path.read_bytes() == before and len(list(tmp_path.iterdir())) == 1


def rewritten(path: Path, change: Any) -> Path:
    """Return the path of a copy of a model's file after a change to its document and its arrays."""
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


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


CHANGES: dict[str, Any] = {
    "another format": lambda document, files: document.update({"format": 99}),
    "a class of another package": lambda document, files: document.update({"class": "subprocess.Popen"}),
    "a function as class": lambda document, files: document.update({"class": "save"}),
    "a method as attribute": lambda document, files: document["attributes"].update({"predict": "gone"}),
    "a private attribute": lambda document, files: document["attributes"].update({"__class__": "gone"}),
    "a missing array": lambda document, files: files.pop("0.npy"),
    "an unknown kind": lambda document, files: document["attributes"].update({"n_iter_": {"eval": "1"}}),
    "a pickled array": lambda document, files: files.update({"0.npy": npy(np.array([Harm()], dtype=object))}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changed_files_are_refused(change: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(FITTED["KMeans"](), tmp_path / "model")
    with pytest.raises(UnreadableModel):
        load(rewritten(tmp_path / "model", change))
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("field", "value"),
    [(field, value) for field in ("left_child", "right_child") for value in (10**9, -7, 0)]
    + [("feature", 10**9), ("feature", -7)],
)
def test_trees_with_invalid_nodes_are_refused(field: str, value: int, tmp_path: Path) -> None:
    """With such a number, scikit-learn would read beyond the array."""

    def change(document: Any, files: Any) -> None:
        tree = dict(document["attributes"]["estimators_"]["list"][0]["tree"]["dict"])
        nodes = dict(tree["nodes"]["dict"])
        name = f"{nodes[field]['array']}.npy"
        array = np.load(io.BytesIO(files[name]))
        array[0] = value
        files[name] = npy(array)

    save(FITTED["RandomForestRegressor"](), tmp_path / "model")
    with pytest.raises(UnreadableModel, match="refers to nodes or columns that do not exist"):
        load(rewritten(tmp_path / "model", change))


@pytest.mark.parametrize("content", [b"", b"hello", pickle.dumps(Harm()), b"PK\x03\x04" + b"\0" * 40])
def test_other_files_are_refused(content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model"
    path.write_bytes(content)
    refused(UnreadableModel, "was not written by gpucluster.learn.save", lambda: load(path))
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none")
    assert capsys.readouterr().out == ""
