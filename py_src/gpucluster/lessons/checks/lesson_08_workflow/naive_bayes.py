"""Lesson 08, naive Bayes: what each block counts, and the model that the sums give."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...examination import Examination
from .. import exercise
from ..answers import random_cuts, relative_gap
from .answers import arrays, shaped, total


@exercise("08.1", "class_sums", "naive_bayes")
def check_naive_bayes(exam: Examination, class_sums: Any, naive_bayes: Any) -> None:
    """Counts and sums add up over any cut; the model is scikit-learn's."""
    from sklearn.naive_bayes import MultinomialNB

    _expect_room(exam, class_sums)
    for n, k, d, alpha in ((60, 3, 4, 1.0), (400, 5, 7, 0.5), (90, 2, 3, 2.0)):
        X = exam.rng.poisson(exam.rng.uniform(0.2, 6, d), (n, d)) * exam.rng.uniform(0.5, 1.5, (n, d))
        X[:, exam.rng.integers(d)] = 0  # a feature that never occurs: what alpha is for
        y = np.sort(np.concatenate([np.arange(k), exam.rng.integers(0, k, n - k)]))  # blocks without some classes
        found = []
        for part in random_cuts(exam.rng, n, 4):
            counts, sums = arrays(exam, exam.call(class_sums, X[part].copy(), y[part].copy(), k), ("counts", "sums"))
            shaped(exam, "counts", counts, (k,))
            shaped(exam, "sums", sums, (k, d))
            true = np.bincount(y[part], minlength=k)
            exam.expect(
                "counts has the number of rows of each class, 0 where a block has none",
                np.array_equal(counts, true),
                f"{counts.tolist()} for {true.tolist()} rows",
            )
            found.append((counts, sums))
        counts, sums = total(found)
        whole = np.stack([X[y == label].sum(axis=0) for label in range(k)])
        exam.expect(
            "The blocks' sums, added, are the sums of all rows of each class",
            relative_gap(sums, whole) < 1e-6,
            f"largest difference {relative_gap(sums, whole):.2g} of the largest sum",
        )
        true_counts = np.bincount(y, minlength=k).astype(float)
        prior, likelihood = arrays(
            exam, exam.call(naive_bayes, true_counts.copy(), whole.copy(), alpha), ("prior", "likelihood")
        )
        shaped(exam, "prior", prior, (k,))
        shaped(exam, "likelihood", likelihood, (k, d))
        model = MultinomialNB(alpha=alpha).fit(X, y)
        off = relative_gap(prior, model.class_log_prior_)
        exam.expect("prior is the logarithm of each class' share of the rows", off < 1e-10, f"off by {off:.2g}")
        off = relative_gap(likelihood, model.feature_log_prob_)
        exam.expect(
            "likelihood is that of scikit-learn, for any alpha",
            off < 1e-10,
            f"off by {off:.2g} with alpha = {alpha}",
        )


def _expect_room(exam: Examination, class_sums: Any) -> None:
    """The ink of pixels of one byte each: the sums need more room than that."""
    X = exam.rng.integers(100, 256, (90, 4)).astype(np.uint8)
    y = np.arange(90) % 3
    _, sums = arrays(exam, exam.call(class_sums, X.copy(), y.copy(), 3), ("counts", "sums"))
    true = np.stack([X[y == label].sum(axis=0, dtype=float) for label in range(3)])
    shaped(exam, "sums", sums, true.shape)
    exam.expect("Sums of whole numbers of one byte are larger than a byte holds", relative_gap(sums, true) < 1e-6,
                f"the largest is {sums.max():,.0f}, not {true.max():,.0f}, for pixels of uint8")  # fmt: skip
