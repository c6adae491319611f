"""A classifier made of fully connected layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ..arrays import Array, Data, Output, PlainModel, RandomState, array_namespace_of
from ..delegation.methods import delegable
from ..errors import InvalidParameter
from ..estimator import DistributedEstimator, ScoredClassifier
from ..labels import checked_classes, classes_of, known_classes, labels_at, merge_classes, require_known
from ..parameters import either, one_of, parameter, real, whole
from ..rows.block import Rows
from .training import Layers, Network, probabilities, train

AUTO_BATCH = 200  # Rows per batch, as in scikit-learn.


class MLPClassifier(ScoredClassifier, DistributedEstimator):
    """A neural network with hidden layers of rectified units, trained in parallel on the rows of all workers.

    Parameters
    ----------
    hidden_layer_sizes : int or sequence of int
        Sizes of the hidden layers.
    activation : {"relu"}
        Of the hidden layers.
    solver : {"adam", "sgd"}
        The optimizer.
    alpha : float
        Strength of the L2 penalty.
    batch_size : int or "auto"
        Rows per step, of all workers together; ``auto`` is 200. Rows draw their batches, so sizes vary a little.
    learning_rate_init : float
        Length of the steps.
    max_iter : int
        Most epochs.
    shuffle : bool
        Draw new batches in each epoch.
    random_state : int, RandomState or None
        Of first weights and batches.
    tol : float
        Training stops when the loss has not improved by ``tol`` …
    n_iter_no_change : int
        … in this number of epochs.
    momentum : float
        Of ``sgd``.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coefs_, intercepts_ : list of arrays
        Of each layer.
    loss_ : float
        Mean cross entropy with the penalty in the last epoch.
    loss_curve_ : list of float
        The same for each epoch.
    n_iter_ : int
        Epochs.

    Notes
    -----
    Every rank computes the gradient of its own rows of a batch, and one allreduce adds them up: ``8 n`` bytes per step
    and message, with ``n`` weights. Up to rounding, each step is the same as in a single process, whatever the blocks.

    scikit-learn draws its batches differently, so weights differ. cuML has no neural networks.
    """

    _scikit_learn = "sklearn.neural_network.MLPClassifier"

    hidden_layer_sizes: int | Sequence[int] = parameter((100,), kw_only=False)
    activation: str = parameter("relu", one_of("relu"), kw_only=False)
    solver: str = parameter("adam", one_of("adam", "sgd"))
    alpha: float = parameter(0.0001, real(0))
    batch_size: int | Literal["auto"] = parameter("auto", either("auto", whole(1)))
    learning_rate_init: float = parameter(0.001, real(0))
    max_iter: int = parameter(200, whole(1))
    shuffle: bool = True
    random_state: RandomState = None
    tol: float = parameter(1e-4, real(0))
    n_iter_no_change: int = parameter(10, whole(1))
    momentum: float = parameter(0.9, real(0))

    @delegable
    def fit(self, X: Data, y: Data, sample_weight: Data | None = None) -> MLPClassifier:
        """Train the network."""
        return self._trained(X, y, sample_weight, None, int(self.max_iter))

    @delegable
    def partial_fit(
        self, X: Data, y: Data, sample_weight: Data | None = None, classes: ArrayLike | None = None
    ) -> MLPClassifier:
        """Train for one epoch, starting from the network of the last call."""
        first = not hasattr(self, "classes_")
        known = known_classes(classes, None if first else self.classes_)
        start = None if first else Network(self._layers(), self.loss_curve_, vars(self).get("_step"))
        return self._trained(X, y, sample_weight, start, 1, known)

    def _trained(
        self,
        X: Data,
        y: Data,
        sample_weight: Data | None,
        start: Network | None,
        max_iter: int,
        known: Array | None = None,
    ) -> MLPClassifier:
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        classes, network = self._fit_with(
            _train, X, y, sample_weight, reset=start is None, known=known, start=start, hidden=self._hidden(),
            alpha=float(self.alpha), batch_size=AUTO_BATCH if self.batch_size == "auto" else int(self.batch_size),
            learning_rate=float(self.learning_rate_init), max_iter=max_iter, tol=float(self.tol),
            patience=int(self.n_iter_no_change), solver=self.solver, momentum=float(self.momentum), seed=seed,
            shuffle=bool(self.shuffle),
        )  # fmt: skip
        self.classes_ = classes
        self.coefs_ = list(network.layers[::2])
        self.intercepts_ = list(network.layers[1::2])
        self.loss_curve_ = [*(start.losses if start else []), *network.losses]
        self.loss_ = self.loss_curve_[-1]
        self.n_iter_ = len(self.loss_curve_)
        self._step = network.step
        return self

    @delegable
    def predict(self, X: Data) -> Output:
        """Return the most likely class of each row."""
        return self._map(_most_likely, X, self.classes_, *self._layers(), dtype=self.classes_.dtype)

    @delegable
    def predict_proba(self, X: Data) -> Output:
        """Return the probability of each class, of the type of ``coefs_``."""
        layers = self._layers()
        return self._map(_probabilities, X, *layers, dtype=layers[0].dtype, columns=len(self.classes_))

    @delegable
    def predict_log_proba(self, X: Data) -> Output:
        """Return the logarithms of `predict_proba`: minus infinity where that is rounded to 0."""
        layers = self._layers()
        return self._map(_log_probabilities, X, *layers, dtype=layers[0].dtype, columns=len(self.classes_))

    @delegable
    def get_combined_model(self) -> PlainModel:
        """Return a fitted ``sklearn.neural_network.MLPClassifier`` with the same weights.

        With two classes, scikit-learn has one output where this network has two; the probabilities are the same.
        """
        from sklearn.preprocessing import LabelBinarizer

        coefs, intercepts = list(self.coefs_), list(self.intercepts_)
        two_classes = len(self.classes_) == 2
        if two_classes:
            coefs[-1] = coefs[-1][:, 1:] - coefs[-1][:, :1]
            intercepts[-1] = intercepts[-1][1:] - intercepts[-1][:1]
        return self._plain_model(
            {"hidden_layer_sizes": self._hidden()}, coefs_=coefs, intercepts_=intercepts, n_layers_=len(coefs) + 1,
            n_outputs_=coefs[-1].shape[1], out_activation_="logistic" if two_classes else "softmax",
            _label_binarizer=LabelBinarizer().fit(self.classes_),
        )  # fmt: skip

    def _layers(self) -> Layers:
        return tuple(part for pair in zip(self.coefs_, self.intercepts_, strict=True) for part in pair)

    def _hidden(self) -> list[int]:
        sizes = self.hidden_layer_sizes
        sizes = [sizes] if isinstance(sizes, int | np.integer) else list(sizes)
        if not all(isinstance(size, int | np.integer) and size > 0 for size in sizes):
            raise InvalidParameter(
                f"hidden_layer_sizes: must be positive whole numbers, not {self.hidden_layer_sizes!r}."
            )
        return [int(size) for size in sizes]

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._hidden()


def _train(rows: Rows, known: Array | None, **options: Any) -> tuple[Array, Network]:
    classes = checked_classes(rows.total(classes_of, op=merge_classes))
    if known is not None:
        require_known(classes, known)
        classes = known
    return classes, train(rows, classes=classes, **options)


def _probabilities(X: Array, *layers: Array) -> Array:
    return probabilities(X.astype(layers[0].dtype, copy=False), layers)


def _log_probabilities(X: Array, *layers: Array) -> Array:
    with np.errstate(divide="ignore"):
        return array_namespace_of(X).log(_probabilities(X, *layers))


def _most_likely(X: Array, classes: Array, *layers: Array) -> Array:
    return labels_at(_probabilities(X, *layers).argmax(axis=1), classes, X)
