"""The checks of lesson 08."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...answers import Floats, numbers, random_cuts, relative_gap, several
from ...checks import exercise
from ...examination import Examination, Halt, describe

# How answers made of several arrays are read and added up.


def arrays(exam: Examination, result: Any, names: Sequence[str]) -> list[Floats]:
    """Read a result that must be this number of arrays of finite numbers."""
    return [numbers(exam, part, name) for part, name in zip(several(exam, result, *names), names, strict=True)]


def shaped(exam: Examination, name: str, found: Any, shape: tuple[int, ...]) -> None:
    """End the examination when an array has another shape."""
    exam.require(f"{name} has the right shape", found.shape == shape, f"shape {found.shape}, expected {shape}")


def total(results: Sequence[Sequence[Any]]) -> tuple[Any, ...]:
    """Add up what the blocks gave, one thing after the other."""
    return tuple(sum(values[1:], values[0]) for values in zip(*results, strict=True))


# Linear models: normal equations in one pass, and the logistic gradient in many.


EVALUATIONS = 500
"""The most gradients allowed; a fixed step of a sensible size needs less than half of it."""
LARGEST_LOSS = 0.005


@exercise("08.2", "products", "ridge")
def check_ridge(exam: Examination, products: Any, ridge: Any) -> None:
    """The blocks' products add up, and give scikit-learn's coefficients."""
    from sklearn.linear_model import LinearRegression, Ridge

    for n, d, alpha in ((80, 3, 0.0), (300, 5, 10.0), (120, 2, 100.0)):
        X = exam.rng.normal(exam.rng.uniform(-3, 3, d), exam.rng.uniform(0.5, 2, d), (n, d))
        y = X @ exam.rng.uniform(-2, 2, d) + exam.rng.uniform(3, 9) + exam.rng.normal(0, 0.5, n)
        parts = [exam.call(products, X[part].copy(), y[part].copy()) for part in random_cuts(exam.rng, n, 5)]
        merged = _merged(exam, parts)
        held = sum(np.asarray(value).size for value in merged)
        exam.expect(
            "What a block sends does not grow with the number of its rows",
            held <= 2 * (d + 2) ** 2,
            f"{held} numbers for {d} columns",
        )
        true = (Ridge(alpha=alpha) if alpha else LinearRegression()).fit(X, y)
        result = exam.call(ridge, tuple(np.copy(value) for value in merged), alpha)
        coefficients, intercept = arrays(exam, result, ("coefficients", "intercept"))
        shaped(exam, "coefficients", coefficients, (d,))
        exam.require("intercept is one number", intercept.size == 1, f"shape {intercept.shape}")
        off = relative_gap(coefficients, true.coef_)
        exam.expect(
            "The coefficients equal scikit-learn's, to one part in a million",
            off < 1e-6,
            f"off by {off:.2g} of the largest, with alpha = {alpha:g}",
        )
        off = relative_gap(intercept, true.intercept_)
        exam.expect("The intercept equals scikit-learn's: it is not penalised", off < 1e-6, f"off by {off:.2g}")


def _merged(exam: Examination, parts: list[Any]) -> tuple[Any, ...]:
    first = parts[0]
    listed = isinstance(first, (tuple, list)) and len(first) > 0
    exam.require("products returns a tuple of arrays or numbers", listed, describe(first))
    try:
        shapes = [[np.asarray(value, dtype=float).shape for value in part] for part in parts]
    except (TypeError, ValueError):
        exam.require("products returns a tuple of arrays or numbers", False, describe(first[0]))
        raise Halt from None
    same = all(shape == shapes[0] for shape in shapes)
    exam.require("All blocks send arrays of the same shapes, so that they can be added", same, f"{shapes[0]} and other")
    return total([[np.asarray(value, dtype=float) for value in part] for part in parts])


def logistic_loss(X: Floats, y: Any, weights: Floats) -> float:
    """Sum of the logarithmic loss; the last weight is the intercept."""
    margin = np.where(y == 1, 1.0, -1.0) * (X @ weights[:-1] + weights[-1])
    return float(np.logaddexp(0, -margin).sum())


@exercise("08.3", "loss_and_gradient", "descend")
def check_logistic(exam: Examination, loss_and_gradient: Any, descend: Any) -> None:
    """The gradient is that of the loss and adds up; the descent reaches scikit-learn's loss."""
    for n, d in ((40, 2), (150, 4)):
        X, y = exam.rng.normal(size=(n, d)), exam.rng.integers(0, 2, n)
        weights = exam.rng.normal(size=d + 1)
        _expect_gradient(exam, loss_and_gradient, X, y, weights)
        parts = [_evaluated(exam, loss_and_gradient, X[part], y[part], weights) for part in random_cuts(exam.rng, n, 3)]
        true = logistic_loss(X, y, weights)
        off = abs(sum(loss for loss, _ in parts) / true - 1)
        exam.expect("The losses of the blocks add up to the loss of all rows", off < 1e-9, f"off by {off:.2g}")
    far = np.array([[900.0], [-900.0]])
    loss, _gradient = _evaluated(exam, loss_and_gradient, far, np.array([0, 1]), np.array([1.0, 0.0]))
    right = abs(loss / 1800 - 1) < 1e-6
    exam.expect("Rows far on the wrong side have a large but finite loss", right, f"loss {loss:,.6g}")
    _expect_descent(exam, descend)


def _evaluated(exam: Examination, function: Any, X: Floats, y: Any, weights: Floats) -> tuple[float, Floats]:
    loss, gradient = arrays(exam, exam.call(function, X.copy(), y.copy(), weights.copy()), ("loss", "gradient"))
    exam.require("loss is one number", loss.size == 1, f"shape {loss.shape}")
    shaped(exam, "gradient", gradient, weights.shape)
    return float(loss), gradient


def _expect_gradient(exam: Examination, function: Any, X: Floats, y: Any, weights: Floats) -> None:
    loss, gradient = _evaluated(exam, function, X, y, weights)
    true = logistic_loss(X, y, weights)
    exam.expect(
        "loss is the sum over the rows of −log(probability of the row's own class)",
        abs(loss / true - 1) < 1e-9,
        f"{loss:.6g} for {len(X)} rows, expected {true:.6g}",
    )
    step = 1e-5
    slopes = [
        (logistic_loss(X, y, weights + step * side) - logistic_loss(X, y, weights - step * side)) / (2 * step)
        for side in np.eye(len(weights))
    ]
    off = relative_gap(gradient, slopes)
    exam.expect(
        "gradient gives the change of the loss with each weight, the intercept last",
        off < 1e-5,
        f"it differs from small steps by {off:.2g} of the largest slope",
    )


def _expect_descent(exam: Examination, descend: Any) -> None:
    from sklearn.linear_model import LogisticRegression

    n, d = 600, 4
    X = exam.rng.normal(size=(n, d)) @ (np.eye(d) + 0.3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (X @ exam.rng.uniform(-1.2, 1.2, d) + exam.rng.logistic(0, 1.0, n) > 0.3).astype(int)
    calls, began = 0, None
    start = exam.rng.normal(0, 0.5, d + 1)

    def evaluate(weights: Any) -> tuple[float, Floats]:
        nonlocal calls, began
        calls += 1
        if calls > EVALUATIONS:
            raise RuntimeError(f"evaluate was called more than {EVALUATIONS} times")
        weights = np.array(weights, dtype=float)
        began = weights if began is None else began
        chance = 1 / (1 + np.exp(-np.clip(X @ weights[:-1] + weights[-1], -500, 500)))
        slope = np.append((chance - y) @ X, (chance - y).sum())
        return logistic_loss(X, y, weights) / n, slope / n

    found = _weights(exam, descend, evaluate, start)
    off = float(np.abs(start - (0 if began is None else began)).max())
    exam.expect("It starts at the given weights", off == 0, f"the first evaluation is {off:.3g} away from them")
    best = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000).fit(X, y)
    true = logistic_loss(X, y, np.append(best.coef_[0], best.intercept_)) / n
    off = logistic_loss(X, y, found) / n / true - 1
    exam.expect(
        "The loss of your weights is within 0.5 % of scikit-learn's, in both directions",
        abs(off) < LARGEST_LOSS,
        f"{off:+.3%} after {calls} evaluations",
    )


def _weights(exam: Examination, descend: Any, evaluate: Callable[[Any], Any], start: Floats) -> Floats:
    result = exam.call(descend, evaluate, start.copy())
    try:
        found = np.asarray(result, dtype=float)
    except (TypeError, ValueError):
        exam.require("descend returns the weights", False, describe(result))
        raise Halt from None
    exam.require(
        "descend returns the weights", found.shape == start.shape, f"shape {found.shape}, expected {start.shape}"
    )
    finite = bool(np.isfinite(found).all())
    exam.require("All weights are finite", finite, "all are" if finite else "some are not: was the step too large?")
    return found


# Encoders: one code for one label, in every block.


WORDS = np.array(["UA", "AA", "B6", "DL", "EV", "MQ", "WN", "US", "VX", "FL", "AS", "9E", "F9", "HA", "YV", "OO"])


def _some_words(rng: np.random.Generator) -> Any:
    """Return eight short words and a longer one, in any order."""
    return rng.permutation([*rng.permutation(WORDS)[:8], str(rng.choice(["UAL", "DLH", "WNX"]))])


@exercise("08.8", "distinct", "encode")
def check_encoding(exam: Examination, distinct: Any, encode: Any) -> None:
    """Categories are small and complete; codes agree between blocks; an unknown label gets no valid code."""
    for pool in (_some_words(exam.rng), np.sort(exam.rng.choice(500, 12, replace=False))):
        # Each block has some of the labels only, and the first one lacks the first label.
        blocks = [exam.rng.choice(pool[start:stop], size) for start, stop, size in ((3, 8, 40), (0, 5, 25), (2, 9, 60))]
        complete = True
        for block in blocks:
            found = _array(exam, exam.call(distinct, block.copy()))
            true = set(block.tolist())
            small = found.ndim == 1 and len(found) <= len(true)
            exam.require(
                "distinct returns each label of a block once",
                small,
                f"shape {found.shape} for {len(true)} labels in {len(block)} rows",
            )
            same = found.dtype.kind == block.dtype.kind or found.dtype.kind == "O"
            exam.require(
                "Labels keep their type: strings or integers",
                same,
                f"{found.dtype} for labels of the type {block.dtype}",
            )
            complete &= exam.expect(
                "No label of the block is missing, and none is added",
                set(found.tolist()) == true,
                f"{len(found)} labels for {len(true)}; missing: {len(true - set(found.tolist()))}, "
                f"added: {len(set(found.tolist()) - true)}",
            )
        if not complete:
            return
        categories = np.unique(np.concatenate(blocks))
        codes = [_array(exam, exam.call(encode, block.copy(), categories.copy())) for block in blocks]
        for block, code in zip(blocks, codes, strict=True):
            exam.require(
                "There is one whole number for each row",
                code.shape == block.shape and code.dtype.kind in "iu",
                f"shape {code.shape}, dtype {code.dtype}",
            )
            inside = bool(((code >= 0) & (code < len(categories))).all())
            exam.require("Codes run from 0 to the number of categories − 1", inside, f"{code.min()} to {code.max()}")
        labels, numbers = np.concatenate(blocks), np.concatenate(codes)
        agree = all(len(np.unique(numbers[labels == label])) == 1 for label in categories)
        exam.expect("The same label has the same code in every block", agree, "it has" if agree else "it has not")
        right = float((categories[numbers] == labels).mean())
        exam.expect("categories[code] is the label", right == 1, f"for {right:.0%} of the rows")
        for strange in _unknown(pool, categories):
            said = _for_unknown(encode, strange, categories)
            exam.expect(
                "A label missing from categories gets no valid code: an error, or −1",
                said in {"an error", "-1"},
                f"{said} for {strange[-1]!s}",
            )


def _array(exam: Examination, result: Any) -> Any:
    listed = isinstance(result, (np.ndarray, list, tuple)) or hasattr(result, "to_numpy")
    exam.require("It returns an array", listed, describe(result))
    return np.asarray(result)


def _unknown(pool: Any, categories: Any) -> list[Any]:
    """Known labels followed by one that sorts before, between or after them."""
    strange = ["00", "CC", "ZZ"] if pool.dtype.kind == "U" else [-1, int(categories[0]) + 1, 10_000]
    found = [np.array([categories[0], label]) for label in strange if label not in categories and label not in pool]
    if pool.dtype.kind == "U":
        # The beginning of a known label, in a block without any longer ones.
        longest = max(categories.tolist(), key=len)
        short = [longest[:length] for length in range(1, len(longest))]
        found += [np.array([label]) for label in short if label not in categories and label not in pool]
    return found


def _for_unknown(encode: Any, values: Any, categories: Any) -> str:
    try:
        code = np.asarray(encode(values, categories.copy()))
    except Exception:
        return "an error"
    return str(code[-1]) if code.ndim and len(code) else "nothing"


# Naive Bayes: what each block counts, and the model that the sums give.


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
                "counts has the number of rows of each class, 0 if the block has none",
                np.array_equal(counts, true),
                f"{counts.tolist()} for {true.tolist()} rows",
            )
            found.append((counts, sums))
        counts, sums = total(found)
        whole = np.stack([X[y == label].sum(axis=0) for label in range(k)])
        exam.expect(
            "The sums of the blocks add up to the sums of all rows of each class",
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
        exam.expect("prior is the logarithm of each class's share of the rows", off < 1e-10, f"off by {off:.2g}")
        off = relative_gap(likelihood, model.feature_log_prob_)
        exam.expect(
            "likelihood equals scikit-learn's, for any alpha",
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
    exam.expect("Sums of one-byte integers may exceed one byte", relative_gap(sums, true) < 1e-6,
                f"the largest is {sums.max():,.0f}, not {true.max():,.0f}, for pixels of uint8")  # fmt: skip


# Neighbours: the nearest of one block, and the nearest of all blocks.


def brute_force(points: Floats, queries: Floats, k: int) -> tuple[Floats, Any]:
    """Distances and numbers of the k nearest points of each query, the nearest first."""
    distances = np.sqrt(((queries[:, None, :] - points[None, :, :]) ** 2).sum(axis=2))
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), order


@exercise("08.5", "nearest_in_block", "merge_nearest")
def check_neighbours(exam: Examination, nearest_in_block: Any, merge_nearest: Any) -> None:
    """Block by block and merged, the neighbours are those of brute force, however the points are cut."""
    for n, d, k, parts in ((80, 3, 4, 1), (150, 5, 6, 4), (60, 2, 5, 9)):
        points, queries = exam.rng.normal(size=(n, d)), exam.rng.normal(size=(17, d))
        queries[:3] = points[exam.rng.permutation(n)[:3]]  # the nearest of a row is the row itself
        true_distances, true_rows = brute_force(points, queries, k)
        found = []
        for part in random_cuts(exam.rng, n, parts):
            block = points[part]
            result = exam.call(nearest_in_block, block.copy(), part.start, queries.copy(), k)
            distances, rows = arrays(exam, result, ("distances", "rows"))
            _expect_block(exam, block, part.start, queries, k, distances, rows)
            found.append((distances, rows.astype(int)))
        order = exam.rng.permutation(len(found))  # blocks may report in any order
        mixed = [_in_any_order(exam.rng, *found[place]) for place in order]
        result = exam.call(merge_nearest, mixed, k)
        distances, rows = arrays(exam, result, ("distances", "rows"))
        right = distances.shape == rows.shape == true_rows.shape
        exam.require("After merging there are k neighbours for each query", right,
                     f"shapes {distances.shape} and {rows.shape}, expected {true_rows.shape} for k = {k}")  # fmt: skip
        same = float((rows.astype(int) == true_rows).all(axis=1).mean())
        exam.expect(
            "The neighbours equal those of brute force over all points, nearest first",
            same == 1,
            f"{same:.0%} of the queries, with {counted(parts, 'block')} and k = {k}",
        )
        off = float(np.abs(distances - true_distances).max())
        exam.expect("Their distances are right", off < 1e-6, f"off by {off:.2g}")


def _in_any_order(rng: np.random.Generator, distances: Floats, rows: Any) -> tuple[Floats, Any]:
    """The neighbours of a block may stand in any order, the same in both arrays."""
    mixed = rng.permutation(distances.shape[1])
    return distances[:, mixed].copy(), rows[:, mixed].copy()


def _expect_block(
    exam: Examination, block: Floats, start: int, queries: Floats, k: int, distances: Floats, rows: Floats
) -> None:
    wanted = min(k, len(block))
    shape = (len(queries), wanted)
    exam.require(
        "A block gives the k nearest of its points for each query, or all it has where it has fewer",
        distances.shape == rows.shape == shape,
        f"shapes {distances.shape} and {rows.shape}, expected {shape}",
    )
    whole = bool((rows == np.floor(rows)).all())
    exam.require("rows are whole numbers", whole, describe(rows))
    inside = bool(((rows >= start) & (rows < start + len(block))).all())
    exam.require(
        "rows are numbers among all points: a block begins at start",
        inside,
        f"{int(rows.min())} to {int(rows.max())} in a block of {len(block)} points that begins at {start}",
    )
    _true, order = brute_force(block, queries, wanted)
    right = bool((np.sort(rows, axis=1) == np.sort(order + start, axis=1)).all())
    exam.expect("They are the nearest points in the block", right, "all are" if right else "some are not")
    own = np.sqrt(((block[rows.astype(int) - start] - queries[:, None, :]) ** 2).sum(axis=2))
    off = float(np.abs(own - distances).max())
    exam.expect("distances are Euclidean, in the order of rows", off < 1e-6, f"off by {off:.2g}")


# The refresher: a gradient by central differences.


@exercise("08.11", "slopes")
def check_slopes(exam: Examination, slopes: Any) -> None:
    """Random functions of one to six numbers, with steps of several sizes; f notes where it is asked.

    Once the entries of x are whole numbers: a step that is written into a copy of them is cut off.
    """
    rng = exam.rng
    for place, h in enumerate((1e-3, 1e-3, 0.5, 0.05, 1e-4, 0.2)):
        d = int(rng.integers(1, 7))
        matrix, cubic = rng.normal(size=(d, d)), rng.uniform(0.5, 2, d)
        x: Any = rng.normal(size=d)
        asked: list[Floats] = []
        if place == 1:
            x = rng.integers(-4, 5, d)

        def f(point: Any, matrix: Floats = matrix, cubic: Floats = cubic, asked: list[Floats] = asked) -> float:
            point = np.array(point, dtype=float)
            asked.append(point)
            return float(point @ matrix @ point + cubic @ point**3)

        found = numbers(exam, exam.call(slopes, f, x, h), "What `slopes` returns", (d,))
        true = (matrix + matrix.T) @ x + 3 * cubic * x**2 + cubic * h**2  # what central differences give, exactly
        gap = float(np.abs(found - true).max() / max(1.0, float(np.abs(true).max())))
        exam.expect("It returns the central differences", gap < 1e-7, f"off by {gap:.2g} for {d} numbers, h = {h:g}")
        moved = [point - x for point in asked]
        alone = all((np.abs(one) > 1e-12).sum() <= 1 for one in moved)
        exam.expect("Only one entry is changed at a time", alone, "it is" if alone else "several were changed at once")
        far = max((float(np.abs(one).max()) for one in moved), default=0.0)
        exam.expect("The step is h", abs(far - h) < 1e-6 * max(h, 1.0), f"{far:g} instead of {h:g}")
