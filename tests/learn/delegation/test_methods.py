"""The decorator of public methods: no estimator forgets it, and nobody sees that it is there."""

from __future__ import annotations

import inspect
import pickle
from typing import Any

import gpucluster.learn as learn
import pytest
from gpucluster.learn.delegation.methods import delegable, is_delegable
from gpucluster.learn.estimator import DistributedEstimator
from sklearn.base import TransformerMixin, clone

ESTIMATORS = [
    cls
    for cls in (getattr(learn, name) for name in learn.__all__)
    if inspect.isclass(cls) and issubclass(cls, DistributedEstimator)
]
WITHOUT_DATA = frozenset({"get_covariance", "get_feature_names_out", "get_precision", "set_params"})
"""Public methods that take none."""


def own_methods(cls: type) -> dict[str, Any]:
    """Return the public methods of an estimator that are not scikit-learn's."""
    found = {name: getattr(cls, name) for name in dir(cls) if not name.startswith("_")}
    return {
        name: method
        for name, method in found.items()
        if inspect.isfunction(method) and not inspect.unwrap(method).__module__.startswith("sklearn")
    }


def undecorated(cls: type) -> set[str]:
    return {name for name, method in own_methods(cls).items() if not is_delegable(method)} - WITHOUT_DATA


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_every_public_method_has_the_decorator(cls: type) -> None:
    assert undecorated(cls) == set()
    assert {"fit", "get_combined_model"} <= own_methods(cls).keys()


def test_an_author_who_forgets_it_is_told() -> None:
    class Forgetful(TransformerMixin, DistributedEstimator):
        @delegable
        def fit(self, X: Any) -> Forgetful:
            return self

        def transform(self, X: Any) -> Any:  # scikit-learn wraps it, which is not the decorator
            return X

        def get_feature_names_out(self) -> Any:
            return []

    assert undecorated(Forgetful) == {"transform"}


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_the_decorator_is_not_seen(cls: type) -> None:
    """Signatures, documentation, metadata routing, cloning and pickling are those of a plain method."""
    for name, method in own_methods(cls).items():
        parameters = inspect.signature(method).parameters
        assert next(iter(parameters)) == "self"
        assert not {each.kind for each in parameters.values()} & {inspect.Parameter.VAR_POSITIONAL}, name
        assert method.__name__ == name
        assert inspect.getdoc(method), name
    weighted = "sample_weight" in inspect.signature(cls.fit).parameters  # type: ignore[attr-defined]
    assert hasattr(cls, "set_fit_request") == weighted
    estimator = cls()
    # As text, in which NaN is NaN.
    assert str(clone(estimator).get_params()) == str(estimator.get_params())
    assert str(pickle.loads(pickle.dumps(estimator)).get_params()) == str(estimator.get_params())


def test_wrong_arguments_are_told_by_the_method_itself() -> None:
    with pytest.raises(TypeError, match=r"fit\(\) missing 1 required positional argument: 'X'"):
        learn.KMeans().fit()
    with pytest.raises(TypeError, match=r"fit\(\) got an unexpected keyword argument 'weights'"):
        learn.KMeans().fit([[1.0]], weights=[1])
