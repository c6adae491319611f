"""Principal component analysis."""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.extmath import svd_flip

from ..arrays import Array, Data, Dtype, Output, PlainModel, RandomState, array_namespace_of
from ..checks import check_columns, check_finite
from ..delegation.methods import delegable
from ..errors import InvalidData, InvalidParameter
from ..estimator import DistributedEstimator, LazyTransformerMixin
from ..kernels.moments import Factor, Moments, factor, merge_factors, merge_moments, moments
from ..kernels.slices import projected
from ..parameters import Rule, fitted, one_of, parameter, real, whole
from ..rows.block import Rows
from ..rows.table import floating_type, is_dask
from ..rows.waiting import computed


class Spectrum(NamedTuple):
    """Eigenvalues and eigenvectors of the covariance matrix, largest variance first."""

    n_samples: int
    mean: Array  # Array of shape (n_features,), float64.
    variances: Array  # Array of shape (k,), float64; k is the smaller one of n_samples and n_features.
    axes: Array  # Array of shape (k, n_features), float64.


def covariance_spectrum(rows: Rows) -> Spectrum:
    """Return mean, variances and axes; one message of ``8 (d + 1) d`` bytes for each block or rank, d columns."""
    found: Moments = rows.total(moments, op=merge_moments)
    n_samples = int(found.n_rows)
    check_rows(n_samples)
    check_finite(found.scatter)
    variances, vectors = np.linalg.eigh(found.scatter / (n_samples - 1))
    return _sorted(n_samples, found.mean, np.maximum(variances[::-1], 0.0), vectors.T[::-1])


def factor_spectrum(rows: Rows) -> Spectrum:
    """Return the same from the triangular factor of the centred rows: slower, with all digits of small variances.

    Sends one message of ``8 (d + 1) d`` bytes for each block or rank.
    """
    found: Factor = rows.total(factor, op=merge_factors)
    n_samples = int(found.n_rows)
    check_rows(n_samples)
    check_finite(found.R)
    _, values, axes = np.linalg.svd(found.R, full_matrices=False)
    return _sorted(n_samples, found.mean, values**2 / (n_samples - 1), axes)


def check_rows(n_samples: int) -> None:
    """Refuse a table whose rows have no variance because there are too few."""
    if n_samples < 2:
        raise InvalidData(f"X: found array with {n_samples} sample(s) (rows) while a minimum of 2 is required.")


def components_to_keep(
    wanted: float | str | None, ratios: Array, variances: Array, n_samples: int, n_features: int
) -> int:
    """Return the number of components that ``n_components`` of `PCA` stands for with this table.

    ``ratios`` and ``variances`` are of all components, largest first; ratios are shares of the total variance. Raises
    `InvalidParameter` where there are fewer components, or too few rows for an estimate.
    """
    most = len(ratios)
    if wanted is None:
        return most
    if isinstance(wanted, str):
        from sklearn.decomposition._pca import _infer_dimension

        if n_samples < n_features:
            raise InvalidParameter("n_components: 'mle' requires at least as many rows as columns. Pass a number.")
        return int(_infer_dimension(variances, n_samples))
    if not isinstance(wanted, Integral):
        return min(most, int(np.searchsorted(np.cumsum(ratios), wanted, side="right")) + 1)
    if wanted > most:
        raise InvalidParameter(f"n_components: {wanted} must be between 1 and min(n_samples, n_features)={most}.")
    return int(wanted)


def _sorted(n_samples: int, mean: Array, variances: Array, axes: Array) -> Spectrum:
    k = min(n_samples, len(mean))
    # The sign is arbitrary; as in scikit-learn, the largest loading of each axis is positive.
    _, axes = svd_flip(None, np.ascontiguousarray(axes[:k]), u_based_decision=False)
    return Spectrum(n_samples, mean, variances[:k], axes)


SOLVERS = {"auto": covariance_spectrum, "covariance_eigh": covariance_spectrum, "full": factor_spectrum}

_N_COMPONENTS = Rule(
    lambda value: (
        value is None
        or (isinstance(value, str) and value == "mle")
        or (whole(1) if isinstance(value, Integral) else real(0, 1 - np.finfo(float).eps, above=True)).allows(value)
    ),
    "a whole number from 1, a fraction of the variance between 0 and 1, 'mle' or None",
)


class AxesTransformer(ClassNamePrefixFeaturesOutMixin, LazyTransformerMixin, DistributedEstimator):
    """Base of the transformers that replace rows by their components along some axes."""

    components_: Array = fitted()

    @delegable
    def transform(self, X: Data) -> Output:
        """Return the components of rows.

        Returns
        -------
        Dask array or data frame, or array, of shape (n_samples, n_components_)
            Of the type of ``components_``; lazy where X is lazy.
        """
        names = list(self.get_feature_names_out())
        return self._map(projected, X, *self._projection(), columns=len(names), names=names)

    @delegable
    def inverse_transform(self, X: Data) -> Output:
        """Return the rows that have these components, without the contribution of the dropped components.

        Parameters
        ----------
        X : Dask array or data frame, or array, of shape (n_samples, n_components_)

        Returns
        -------
        Dask array or data frame, or array, of shape (n_samples, n_features_in_)
            Of the type of ``components_``; lazy where X is lazy.
        """
        return self._map(
            projected, X, *self._inverse_projection(), columns=self.n_features_in_, names=self._names_in,
            takes=self._n_features_out,
        )  # fmt: skip

    def _projection(self) -> tuple[Array | None, Array, Array | None]:
        """Return shift, axes and offset of `projected`."""
        return None, self.components_.T, None

    def _inverse_projection(self) -> tuple[Array | None, Array, Array | None]:
        return None, self.components_, None

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)


class PCA(AxesTransformer):
    """Principal component analysis in one pass over the rows.

    Algorithm: each block's mean and centred scatter matrix, merged in pairs (Chan, Golub and LeVeque, 1983), then the
    eigenvalues of the covariance matrix; or see ``svd_solver``. Data far from zero are safe in float32, where
    scikit-learn's ``covariance_eigh`` (which subtracts two large products) is not.

    Communication: one message of ``8 (d + 1) d`` bytes per block of rows, combined along a tree, d the number of
    columns; the client gets one such message and computes the eigenvalues.

    cuML's ``cuml.dask.decomposition.PCA`` sums mean and covariance over GPUs in the same way, in two passes.

    Parameters
    ----------
    n_components : int, float, "mle" or None
        How many components to keep: a number, the fraction of the variance to keep (0 to 1), Minka's estimate, or all.
    whiten : bool
        Scale components to variance 1.
    svd_solver : {"auto", "full", "covariance_eigh"}
        ``covariance_eigh``, even for ``auto``: the eigenvalues of the covariance matrix; variances below 1e-7
        (float32) or 1e-15 (float64) of the largest one are rounding errors. ``full``: the singular values of the
        triangular factor of the centred rows, from a tree of small QRs in float64: all digits of small variances,
        several times slower. ``randomized`` (scikit-learn, Dask-ML) and ``jacobi`` (cuML) mean ``covariance_eigh``,
        ``arpack`` and ``tsqr`` mean ``full``: both are exact and need one pass.
    tol, iterated_power, n_oversamples, power_iteration_normalizer, random_state
        Without effect, as with scikit-learn's exact solvers.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features_in_)
        Axes, largest variance first; float32 for float32 data. The largest loading of each is positive.
    explained_variance_, explained_variance_ratio_, singular_values_ : ndarray of shape (n_components_,)
    mean_ : ndarray of shape (n_features_in_,)
        Always float64: float32 would round the mean of data far from zero.
    noise_variance_ : float
        Mean variance of the components left out.
    n_components_, n_samples_ : int
    """

    _scikit_learn = "sklearn.decomposition.PCA"

    n_components: float | str | None = parameter(None, _N_COMPONENTS, kw_only=False)
    copy: bool = True
    whiten: bool = False
    svd_solver: str = parameter("auto", one_of(*SOLVERS, advice="Components are computed exactly and in one pass."))
    tol: float = 0.0
    iterated_power: int | str = "auto"
    n_oversamples: int = 10
    power_iteration_normalizer: str = "auto"
    random_state: RandomState = None

    @delegable
    def fit(self, X: Data, y: Data | None = None) -> PCA:
        """Find the components."""
        check_columns(X, "PCA")
        spectrum: Spectrum = self._fit_with(SOLVERS[self.svd_solver], X, passes=1)
        self._keep(spectrum, floating_type(X))
        return self

    @delegable
    def score_samples(self, X: Data) -> Output:
        """Return the log-likelihood of each row under probabilistic PCA (Tipping and Bishop, 1999).

        Returns
        -------
        Dask array, series or array of shape (n_samples,)
            float64; lazy where X is lazy.
        """
        precision = self.get_precision()
        constant = 0.5 * (np.linalg.slogdet(precision)[1] - len(precision) * np.log(2.0 * np.pi))
        return self._map(_log_likelihood, X, self.mean_, precision, float(constant), dtype=np.float64)

    def score(self, X: Data, y: Data | None = None) -> float:
        """Return the mean log-likelihood of rows, see `score_samples`; computed at once.

        Returns
        -------
        float
        """
        mean = self.score_samples(X).mean()
        return float(computed(mean)[0] if is_dask(mean) else mean)

    def get_covariance(self) -> Array:
        """Return the covariance matrix of the components and the noise."""
        return self.get_combined_model().get_covariance()

    def get_precision(self) -> Array:
        """Return the inverse of that matrix."""
        return self.get_combined_model().get_precision()

    @delegable
    def get_combined_model(self) -> PlainModel:
        """Return a fitted ``sklearn.decomposition.PCA``; its ``mean_`` has the type of its components."""
        return self._plain_model(mean_=self.mean_.astype(self.components_.dtype))

    def _projection(self) -> tuple[Array, Array, Array]:
        axes = (self.components_ / self._scale()).T.astype(self.components_.dtype)
        shift = self.mean_.astype(axes.dtype)
        # The part of the mean that rounding dropped.
        return shift, axes, ((shift - self.mean_) @ axes).astype(axes.dtype)

    def _inverse_projection(self) -> tuple[None, Array, Array]:
        axes = (self.components_ * self._scale()).astype(self.components_.dtype)
        return None, axes, self.mean_.astype(axes.dtype)

    def _keep(self, spectrum: Spectrum, dtype: Dtype) -> None:
        n_samples, most = spectrum.n_samples, len(spectrum.variances)
        ratios = spectrum.variances / (spectrum.variances.sum() or 1.0)
        kept = components_to_keep(self.n_components, ratios, spectrum.variances, n_samples, len(spectrum.mean))
        self.n_samples_ = n_samples
        self.n_components_ = kept
        self.mean_ = spectrum.mean
        self.components_ = spectrum.axes[:kept].astype(dtype)
        self.explained_variance_ = spectrum.variances[:kept].astype(dtype)
        self.explained_variance_ratio_ = ratios[:kept].astype(dtype)
        self.singular_values_ = np.sqrt(spectrum.variances[:kept] * (n_samples - 1)).astype(dtype)
        self.noise_variance_ = float(spectrum.variances[kept:].mean()) if kept < most else 0.0

    def _scale(self) -> Array | float:
        """Return the factors that give components the variance 1, if they are to have it."""
        if not self.whiten:
            return 1.0
        deviations = np.sqrt(self.explained_variance_)[:, None]
        return np.maximum(deviations, np.finfo(deviations.dtype).eps)


def _log_likelihood(X: Array, mean: Array, precision: Array, constant: float) -> Array:
    xp = array_namespace_of(X)
    apart = X - xp.asarray(mean)
    return constant - 0.5 * ((apart @ xp.asarray(precision)) * apart).sum(axis=1)
