"""The checks of lesson 07."""

from __future__ import annotations

import time
import weakref
from functools import cache, reduce
from typing import Any

import numpy as np

from ....protocol.plain_text import counted
from ...answers import Floats, number, numbers, on_workers, random_cuts, relative_gap, several
from ...checks import exercise
from ...examination import Examination, Halt, describe
from ...material.pictures import cut_tiles, load_photo
from ...probes.transfers import Traffic
from .probes import FanIn

# Tables for the checks of lesson 07.


def mixed_table(rng: np.random.Generator, n: int, d: int, spread: float = 3.0) -> Floats:
    """Return rows whose columns depend on each other, with clearly different principal variances, away from zero."""
    directions, _ = np.linalg.qr(rng.normal(size=(d, d)))
    sizes = np.geomspace(spread, spread / 30, d)
    table: Floats = (rng.normal(size=(n, d)) * sizes) @ directions.T + rng.normal(0, 2, d)
    return table


def split(rng: np.random.Generator, table: Floats, count: int) -> list[Floats]:
    """Cut a table into parts of clearly different size."""
    return [table[part] for part in random_cuts(rng, len(table), count)]


# What a block contributes: sums that add up, and moments that are merged.


@exercise("07.1", "moments", "covariance")
def check_moments(exam: Examination, moments: Any, covariance: Any) -> None:
    """n, Σx and XᵀX add up over any split, and give the covariance matrix."""
    for n, d, count in [(9, 3, 2), (40, 5, 4), (300, 6, 7)]:
        table = mixed_table(exam.rng, n, d)
        whole = _sums(exam, moments, table)
        exam.expect("n counts the rows", whole[0] == n, f"{whole[0]:g} for {n} rows")
        gap = relative_gap(whole[1], table.sum(axis=0))
        exam.expect("sums are the column sums", gap < 1e-9, f"relative difference {gap:.2g}")
        gap = relative_gap(whole[2], table.T @ table)
        exam.expect(
            "products is XᵀX: one number for each pair of columns", gap < 1e-9, f"relative difference {gap:.2g}"
        )
        parts = [_sums(exam, moments, part) for part in split(exam.rng, table, count)]
        total = [sum(values) for values in zip(*parts, strict=True)]
        gap = max(relative_gap(np.asarray(a), np.asarray(b)) for a, b in zip(total, whole, strict=True))
        exam.expect("The results of the parts add up to those of the whole", gap < 1e-9,
                    f"relative difference {gap:.2g} for {count} parts of {n} rows")  # fmt: skip
        found = numbers(exam, exam.call(covariance, n, *total[1:]), "The covariance matrix", (d, d))
        gap = float(np.abs(found - np.cov(table.T)).max())
        exam.expect("The covariance matrix equals that of np.cov", gap < 1e-8,
                    f"largest difference {gap:.2g} for {n} rows")  # fmt: skip
    table = mixed_table(exam.rng, 4000, 4).astype(np.float32)
    wide = table.astype(float)
    of_floats = _sums(exam, moments, table)
    gap = max(relative_gap(of_floats[1], wide.sum(axis=0)), relative_gap(of_floats[2], wide.T @ wide))
    exam.expect("float32 blocks are summed in float64", gap < 1e-10, f"relative difference {gap:.2g}")


def _sums(exam: Examination, moments: Any, table: Any) -> list[Any]:
    d = table.shape[1]
    n, sums, products = several(exam, exam.call(moments, table), "n", "sums", "products")
    return [
        float(numbers(exam, n, "n", ())),
        numbers(exam, sums, "sums", (d,)),
        numbers(exam, products, "products", (d, d)),
    ]


@exercise("07.3", "block_moments", "merge")
def check_merge(exam: Examination, block_moments: Any, merge: Any) -> None:
    """Moments about the mean merge to those of the whole, and keep their digits far from zero."""
    for n, d, count in [(12, 3, 2), (60, 4, 3), (400, 5, 7)]:
        table = mixed_table(exam.rng, n, d)
        gap = relative_gap(_about_mean(exam, block_moments, table)[2], np.cov(table.T) * (n - 1))
        exam.expect("A block's products are sums over its rows, about their mean, not divided by n or n − 1",
                    gap < 1e-8, f"relative difference {gap:.2g} for {n} rows")  # fmt: skip
        parts = [_about_mean(exam, block_moments, part) for part in split(exam.rng, table, count)]
        _expect_whole(exam, parts, parts[0] if count == 1 else _merged(exam, merge, parts), table)
        backwards = _merged(exam, merge, parts[::-1])
        gap = relative_gap(backwards[2], _merged(exam, merge, parts)[2])
        exam.expect("The order of merging does not matter", gap < 1e-9, f"relative difference {gap:.2g}")
    for shift in (1000.0, 5000.0):
        table = (exam.rng.normal(size=(6000, 4)) + shift * exam.rng.uniform(0.8, 1.2, 4)).astype(np.float32)
        true = np.cov(table.astype(float).T)
        blocks = split(exam.rng, table, 5)
        parts = [_about_mean(exam, block_moments, block) for block in blocks]
        gaps = [
            relative_gap(part[1], block.mean(axis=0, dtype=float)) for part, block in zip(parts, blocks, strict=True)
        ]
        exam.expect("The mean of a float32 block is computed in float64", max(gaps) < 1e-12,
                    f"relative difference {max(gaps):.2g}, for columns near {shift:,.0f}")  # fmt: skip
        total, _, centred = _merged(exam, merge, parts)
        mine = float(np.abs(centred / (total - 1) - true).max())
        naive = float(np.abs(one_pass_float32(table) - true).max())
        exam.expect(
            "Far from zero, the error of the variances is at least 100 times smaller than with one pass in float32",
            mine * 100 < naive,
            f"your error {mine:.2g}, one pass {naive:.2g}, for columns near {shift:,.0f}",
        )
    _expect_digits(exam, block_moments, merge)


def _expect_digits(exam: Examination, block_moments: Any, merge: Any) -> None:
    """Blocks of float64, so far from zero that one pass in float64 has no digit left."""
    table = exam.rng.normal(size=(3000, 4)) + 1e8 * exam.rng.uniform(0.8, 1.2, 4)
    parts = [_about_mean(exam, block_moments, block) for block in split(exam.rng, table, 5)]
    total, _, centred = _merged(exam, merge, parts)
    off = relative_gap(centred / (total - 1), np.cov(table.T))
    exam.expect(
        "float64 blocks keep their digits as well: the mean is subtracted before squaring",
        off < 1e-4,
        f"relative difference {off:.2g}, for columns near 100,000,000",
    )


def one_pass_float32(table: Any) -> Any:
    """Covariance from n, Σx and XᵀX, all in float32: what goes wrong far from zero."""
    n, sums = np.float32(len(table)), table.sum(axis=0)
    return (table.T @ table - np.outer(sums, sums) / n) / (n - 1)


def _about_mean(exam: Examination, block_moments: Any, part: Any) -> tuple[float, Floats, Floats]:
    d = part.shape[1]
    result = exam.call(block_moments, part)
    products = several(exam, result, "n", "mean", "products about the mean")[2]
    if len(part) == 1 and np.asarray(products).dtype.kind == "f":
        finite = bool(np.isfinite(products).all())
        exam.require("The products of a block of one row are 0", finite, "some are NaN or infinite: divided by n − 1?")
    return _three(exam, result, d)


def _merged(exam: Examination, merge: Any, parts: list[Any]) -> tuple[float, Floats, Floats]:
    d = len(parts[0][1])

    def one(first: Any, second: Any) -> Any:
        return _three(exam, exam.call(merge, first, second), d)

    merged: tuple[float, Floats, Floats] = reduce(one, parts)
    return merged


def _three(exam: Examination, result: Any, d: int) -> tuple[float, Floats, Floats]:
    n, mean, centred = several(exam, result, "n", "mean", "products about the mean")
    checked = (
        float(numbers(exam, n, "n", ())),
        numbers(exam, mean, "mean", (d,)),
        numbers(exam, centred, "products about the mean", (d, d)),
    )
    types = [np.asarray(value).dtype for value in (mean, centred)]
    exam.expect(
        "The mean and the products are float64",
        all(type_ == np.float64 for type_ in types),
        " and ".join(map(str, types)),
    )
    return checked


def _expect_whole(exam: Examination, parts: list[Any], merged: Any, table: Floats) -> None:
    n, mean, centred = merged
    sizes = " + ".join(f"{part[0]:g}" for part in parts)
    exam.expect("n adds up", n == len(table), f"{sizes} rows give {n:g}")
    gap = float(np.abs(mean - table.mean(axis=0)).max())
    exam.expect("The merged mean is the mean of all rows", gap < 1e-9, f"largest difference {gap:.2g} for {sizes} rows")
    true = np.cov(table.T) * (len(table) - 1)
    gap = relative_gap(centred, true)
    exam.expect("The merged products are those of all rows about their common mean", gap < 1e-8,
                f"relative difference {gap:.2g} for {sizes} rows")  # fmt: skip


# Directions from a matrix: principal components, and singular vectors without centring.


COSINE = 0.99925
"""Between the mean 16 × 16 patch of the two photos and their first singular vector."""


@exercise("07.2", "principal_components")
def check_components(exam: Examination, principal_components: Any) -> None:
    """On handwritten digits as scikit-learn, on hidden tables as a singular value decomposition; up to sign."""
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA

    digits = load_digits().data
    tables = [(digits[exam.rng.permutation(len(digits))], 12), (mixed_table(exam.rng, 500, 6), 6),
              (mixed_table(exam.rng, 90, 5), 2),
              (exam.rng.normal(size=(400, 5)) * [0.5, 1, 2, 4, 8], 3), (_uncorrelated(exam.rng), 3)]  # fmt: skip
    for table, k in tables:
        true = PCA(k, svd_solver="full").fit(table)
        components, variances, ratios = _directions(exam, principal_components, np.cov(table.T), k)
        d = table.shape[1]
        exam.expect("The largest variance comes first", (np.diff(variances) <= 1e-9).all(),
                    f"the first two are {variances[0]:.4g} and {variances[1]:.4g}")  # fmt: skip
        gap = relative_gap(variances, true.explained_variance_)
        exam.expect("variances are the eigenvalues of the covariance matrix", gap < 1e-6,
                    f"relative difference {gap:.2g} for {d} columns")  # fmt: skip
        gap = float(np.abs(ratios - true.explained_variance_ratio_).max())
        exam.expect(
            "ratios are shares of the variance of ALL columns, as in scikit-learn",
            gap < 1e-6,
            f"largest difference {gap:.2g}; your first {k} ratios add up to {ratios.sum():.4f}",
        )
        _expect_rows(exam, components, true.components_)


def _uncorrelated(rng: np.random.Generator) -> Floats:
    """Return a table whose covariance matrix is diagonal, from small to large: solvers that do not sort leave it so."""
    table = rng.normal(size=(400, 5))
    columns, _ = np.linalg.qr(table - table.mean(axis=0))
    return 20 * columns * [0.5, 1, 2, 4, 8]


def _directions(exam: Examination, function: Any, matrix: Floats, k: int) -> list[Floats]:
    result = exam.call(function, matrix, k)
    components, variances, ratios = several(exam, result, "components", "variances", "ratios")
    return [
        numbers(exam, components, "components (one row per component)", (k, len(matrix))),
        numbers(exam, variances, "variances", (k,)),
        numbers(exam, ratios, "ratios", (k,)),
    ]


def _expect_rows(exam: Examination, found: Floats, true: Floats) -> None:
    gap = float(np.abs(found @ found.T - np.eye(len(found))).max())
    exam.expect("Components have length 1 and are orthogonal to each other", gap < 1e-8, f"off by {gap:.2g}")
    cosines = np.abs((found * true).sum(axis=1))
    exam.expect(
        "Each row is the right direction, up to sign",
        (cosines > 1 - 1e-6).all(),
        f"the worst of {len(found)} has |cosine| {cosines.min():.6f}",
    )


@exercise("07.7", "truncated_svd", "cosine")
def check_truncated(exam: Examination, truncated_svd: Any, cosine: Any) -> None:
    """Singular vectors of the table as it is, from its merged moments."""
    for n, d, k in [(80, 4, 4), (600, 7, 3)]:
        table = mixed_table(exam.rng, n, d) + exam.rng.normal(0, 1, d)
        mean = table.mean(axis=0)
        centred = (table - mean).T @ (table - mean)
        result = exam.call(truncated_svd, n, mean, centred, k)
        components, values = several(exam, result, "components", "singular values")
        components = numbers(exam, components, "components (one row per component)", (k, d))
        values = numbers(exam, values, "singular values", (k,))
        _, true_values, true = np.linalg.svd(table, full_matrices=False)
        gap = relative_gap(values, true_values[:k])
        exam.expect("The singular values equal NumPy's for the table itself, not centred", gap < 1e-7,
                    f"relative difference {gap:.2g}; your first is {values[0]:.5g}")  # fmt: skip
        _expect_rows(exam, components, true[:k])
    value = number(exam, cosine, "cosine")
    exam.expect(
        "cosine is that of the mean patch and the first component of the 16 × 16 patches, up to sign",
        abs(abs(value) - COSINE) < 0.0003,  # 0.999 is near enough, 1 is not
        f"{value:.5f}",
    )


# The refresher: an eigenvalue, two triangular systems, and what R knows of a table.


def symmetric(rng: np.random.Generator, values: Floats) -> tuple[Floats, Floats]:
    """Return a symmetric matrix with these eigenvalues, and its eigenvectors as columns."""
    vectors = np.linalg.qr(rng.normal(size=(len(values), len(values))))[0]
    return (vectors * values) @ vectors.T, vectors


@exercise("07.8", "stretch", "solve_halves", "products_from")
def check_decompositions(exam: Examination, stretch: Any, solve_halves: Any, products_from: Any) -> None:
    """Random matrices of two to six columns, with negative eigenvalues and eigenvectors of any length."""
    rng = exam.rng
    for _ in range(12):
        d = int(rng.integers(2, 7))
        values = np.append(rng.uniform(0.5, 9, d - 1), -float(rng.uniform(0.5, 9)))
        A, vectors = symmetric(rng, values)
        for place in (0, d - 1):
            v = vectors[:, place] * float(rng.choice([-4.0, -0.3, 1.0, 2.5]))
            found = number(exam, exam.call(stretch, A, v), "What `stretch` returns")
            kind = "a negative" if values[place] < 0 else "a positive"
            length = float(np.linalg.norm(v))
            exam.expect(f"`stretch` finds {kind} eigenvalue", abs(found - values[place]) < 1e-8,
                        f"{found:.6g} instead of {values[place]:.6g}, v has length {length:.2g}")  # fmt: skip
        place = int(rng.integers(d))
        found = number(exam, exam.call(stretch, np.diag(values), 3.0 * np.eye(d)[place]), "What `stretch` returns")
        exam.expect("`stretch` works if v has zeros", abs(found - values[place]) < 1e-8,
                    f"{found:.6g} instead of {values[place]:.6g}")  # fmt: skip
        B, _ = symmetric(rng, rng.uniform(0.5, 9, d))
        L, b = np.linalg.cholesky(B), rng.normal(size=d)
        x = numbers(exam, exam.call(solve_halves, L, b), "What `solve_halves` returns", (d,))
        gap = relative_gap(B @ x, b)
        exam.expect("`solve_halves` solves L Lᵀ x = b", gap < 1e-8, f"L Lᵀ x is off by {gap:.2g} of b")
        X = rng.normal(size=(40, d)) * rng.uniform(0.2, 5, d)
        R = np.linalg.qr(X, mode="r")
        products = numbers(exam, exam.call(products_from, R), "What `products_from` returns", (d, d))
        gap = relative_gap(products, X.T @ X)
        exam.expect("`products_from` gives XᵀX", gap < 1e-8, f"off by {gap:.2g}")


# Pictures from few numbers: reconstruction, and how good it is.


COUNTS = (4, 16, 64)


@exercise("07.5", "reconstruct", "psnr", "quality")
def check_reconstruction(exam: Examination, reconstruct: Any, psnr: Any, quality: Any) -> None:
    """A projection that loses what the left-out components hold; PSNR as defined; better with more components."""
    _expect_projection(exam, reconstruct)
    _expect_psnr(exam, psnr)
    _expect_quality(exam, quality)


def _expect_projection(exam: Examination, reconstruct: Any) -> None:
    n, d = 200, 6
    table = mixed_table(exam.rng, n, d)
    mean = table.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov(table.T))
    values, components = values[::-1], vectors[:, ::-1].T
    for k in (1, 3, d):
        back = numbers(exam, exam.call(reconstruct, table, mean, components[:k].copy()), "The reconstruction", (n, d))
        lost = float(((table - back) ** 2).sum()) / (n - 1)
        left_out = float(values[k:].sum())
        exam.expect(
            "Only the variance of the omitted components is lost; with all components, nothing",
            abs(lost - left_out) < 1e-8 * values.sum(),
            f"lost {lost:.4g}, left out {left_out:.4g}, with {k} of {d} components",
        )
        few = numbers(exam, exam.call(reconstruct, table[:9].copy(), mean, components[:k].copy()), "The reconstruction",
                      (9, d))  # fmt: skip
        gap = relative_gap(few, back[:9])
        exam.expect("The mean is the given one, whatever the rows", gap < 1e-9, f"relative difference {gap:.2g}")
        again = numbers(exam, exam.call(reconstruct, back, mean, components[:k].copy()), "The reconstruction", (n, d))
        gap = relative_gap(again, back)
        exam.expect("Reconstructing a reconstruction changes nothing", gap < 1e-9, f"relative difference {gap:.2g}")


def _expect_psnr(exam: Examination, psnr: Any) -> None:
    image = exam.rng.random((7, 9, 3))
    for error in (0.1, 0.01, 0.3):
        noise = exam.rng.choice([-error, error], image.shape)
        value = number(exam, exam.call(psnr, image.copy(), image + noise), "psnr")
        true = -20 * np.log10(error)
        exam.expect(
            "PSNR is 10 log10(1 / mean squared error), in decibels",
            abs(value - true) < 1e-6,
            f"{value:.3f} dB when every value is off by {error:g}; expected {true:.3f}",
        )

    noise = exam.rng.normal(size=image.shape) * np.linspace(0.01, 0.3, len(image))[:, None, None]
    value, true = number(exam, exam.call(psnr, image.copy(), image + noise), "psnr"), -10 * np.log10((noise**2).mean())
    exam.expect("The mean is taken over the squared errors of all values", abs(value - true) < 1e-6,
                f"{value:.3f} dB, expected {true:.3f}, where some rows are worse than others")  # fmt: skip


def _expect_quality(exam: Examination, quality: Any) -> None:
    exam.require("quality is a dictionary {number of components: PSNR}", isinstance(quality, dict), describe(quality))
    exam.require(f"It has {', '.join(map(str, COUNTS))} components", set(quality) == set(COUNTS), f"{sorted(quality)}")
    found = [number(exam, quality[k], "Each PSNR") for k in COUNTS]
    text = ", ".join(f"{k}: {value:.2f} dB" for k, value in zip(COUNTS, found, strict=True))
    exam.expect("PSNR rises with the number of components", found == sorted(set(found)), text)
    best = _best_possible(16)
    # Components of all patches of two photos serve one photo nearly as well as its own would, and never better.
    fits = all(best[k] - 1.5 < value < best[k] + 0.01 for k, value in zip(COUNTS, found, strict=True))
    fits &= found[0] > best[COUNTS[0]] - 0.25  # one component less would cost 0.4 dB
    exam.expect(
        "The values are plausible for 16 × 16 tiles of this photo: close to the best, and not above it", fits, text
    )


@cache
def _best_possible(size: int) -> dict[int, float]:
    """What components of the photo's own tiles would reach: no other directions lose less."""
    tiles = cut_tiles(load_photo(), size)
    centred = tiles - tiles.mean(axis=0)
    values = np.linalg.eigvalsh(centred.T @ centred)[::-1]
    return {k: float(-10 * np.log10(values[k:].sum() / tiles.size)) for k in COUNTS}


# A table that never is in memory as a whole: blocks are made, used and let go.


PATCHES, FIRST_RATIO = 515_000, 0.8123
"""Of all 16 × 16 patches of the two photos."""

MOST_AT_ONCE, LONGEST_CHAIN = 12, 18
"""Of the results that one task reads, and of the tasks that wait for each other: in a tree of pairs 2, and about 10."""

PAUSE = 0.01
_alive = {"now": 0, "most": 0, "before": 0, "made": 0}


def counted_block(number: int, rows: int, columns: int, seed: int) -> Floats:
    """Make a block on a worker, and count how many of them live there at once."""
    rng = np.random.default_rng([seed, number])
    block: Floats = rng.normal(number % 3, 1 + np.arange(columns) / columns, (rows, columns))
    time.sleep(PAUSE)  # a block that takes no time at all is made before the scheduler hears of the one before
    _alive["now"] += 1
    _alive["made"] += 1
    _alive["most"] = max(_alive["most"], _alive["now"])
    weakref.finalize(block, _let_go)
    return block


def _block_of(*, sizes: list[int], columns: int, seed: int, block_info: Any = None) -> Floats:
    number = block_info[None]["chunk-location"][0]
    return counted_block(number, sizes[number], columns, seed)


def _let_go() -> None:
    _alive["now"] -= 1


def _start_counting() -> None:
    _alive["most"] = _alive["before"] = _alive["now"]
    _alive["made"] = 0


def _most_alive() -> int:
    return _alive["most"] - _alive["before"]


def _made() -> int:
    return _alive["made"]


@exercise("07.4", "fit_stream", "n_patches", "first_ratio")
def check_stream(exam: Examination, fit_stream: Any, n_patches: Any, first_ratio: Any) -> None:
    """One merged result comes to the notebook, blocks are let go, and the real photos have the known numbers."""
    import dask.array as da

    n_blocks, d, seed = 36, 30, int(exam.rng.integers(1 << 30))
    sizes = [int(size) for size in exam.rng.integers(40, 160, n_blocks)]
    X = da.map_blocks(_block_of, chunks=(tuple(sizes), (d,)), dtype=float, meta=np.empty((0, 0)), sizes=sizes,
                      columns=d, seed=seed)  # fmt: skip
    exam.client.run(_start_counting)
    with exam.client.as_current(), FanIn(exam.client) as fan_in, Traffic(exam.client) as traffic:
        result = exam.call(fit_stream, exam.client, X)
    most = sum(exam.client.run(_most_alive).values())
    made = sum(exam.client.run(_made).values())
    table = np.concatenate([counted_block(number, size, d, seed) for number, size in enumerate(sizes)])
    n, mean, centred = several(exam, result, "n", "mean", "products about the mean")
    mean, centred = numbers(exam, mean, "mean", (d,)), numbers(exam, centred, "products about the mean", (d, d))
    exam.expect("n counts all rows", n == len(table), f"{n:g} of {len(table)} rows, cut into {n_blocks} blocks")
    gap = float(np.abs(mean - table.mean(axis=0)).max())
    exam.expect("mean is the mean of all rows", gap < 1e-8, f"largest difference {gap:.2g}")
    gap = relative_gap(centred, np.cov(table.T) * (len(table) - 1))
    exam.expect("The products are those of all rows about their mean", gap < 1e-8, f"relative difference {gap:.2g}")
    one = 8 * (d * d + d + 1)
    # Where the notebook makes the blocks itself, no bytes leave a worker, and the scheduler sees no tasks.
    exam.expect("The workers make all blocks, and merge their results", made >= n_blocks and fan_in.most > 1,
                f"of {n_blocks} blocks, the workers made {made}")  # fmt: skip
    exam.expect(
        "One merged result is sent to the notebook, not one per block, and no rows",
        traffic.bytes < 3 * one,
        f"{traffic.bytes:,} bytes left the workers; one result has {one:,}, {n_blocks} blocks have {table.nbytes:,}",
    )
    exam.expect(
        "The merges form a tree: each task reads a few results, and few tasks wait for each other",
        fan_in.most <= MOST_AT_ONCE and fan_in.longest <= LONGEST_CHAIN,
        f"of {n_blocks} blocks, one task reads {fan_in.most} results, and {fan_in.longest} tasks wait for each other",
    )
    # All workers together: a busy scheduler may give one of them more than its part.
    exam.expect(
        "Blocks are used and released: the workers never hold all of them at once",
        most < 0.9 * n_blocks,
        f"at most {most} of {n_blocks} blocks were alive",
    )
    _expect_photos(exam, n_patches, first_ratio)


def _expect_photos(exam: Examination, n_patches: Any, first_ratio: Any) -> None:
    rows, ratio = number(exam, n_patches, "n_patches"), number(exam, first_ratio, "first_ratio")
    exam.expect("All 16 × 16 patches of both photos were counted", rows == PATCHES, f"{rows:,.0f} patches")
    exam.expect("The first component explains the right share of the variance",
                abs(ratio - FIRST_RATIO) < 0.001, f"{ratio:.4f}")  # fmt: skip


# Singular values of a tall table through a tree of small QR decompositions.


@exercise("07.6", "tall_svd")
def check_tall_svd(exam: Examination, tall_svd: Any) -> None:
    """All digits of all singular values, however the rows are cut; a tree of the right depth."""
    for count, d, smallest in ((1, 6, 1e-2), (3, 6, 1e-9), (7, 6, 1e-9), (21, 12, 1e-9)):
        n = 3000
        table, true = _graded(exam.rng, n, d, smallest)
        sizes = _sizes(exam.rng, n, d, count)
        parts = on_workers(exam.client, table, sizes)
        with FanIn(exam.client, parts) as fan_in, Traffic(exam.client) as traffic:
            result = exam.call(tall_svd, exam.client, parts)
        values, vectors, levels = several(exam, result, "singular values", "Vt", "levels")
        values = numbers(exam, values, "singular values", (d,))
        vectors = numbers(exam, vectors, "Vt", (d, d))
        gap = relative_gap(values, true)
        exam.expect("The singular values equal those of the whole table, to 1e-8", gap < 1e-8,
                    f"relative difference {gap:.2g}, blocks of {sizes} rows")  # fmt: skip
        last = abs(values[-1] / true[-1] - 1)
        exam.expect(
            "Even the smallest one is right, although it is a billion times smaller than the largest",
            last < 1e-4,
            f"it is {values[-1]:.4g} instead of {true[-1]:.4g}; the largest is {true[0]:.4g}",
        )
        gap = float(np.abs(vectors @ vectors.T - np.eye(d)).max())
        exam.expect("The rows of Vt have length 1 and are orthogonal", gap < 1e-9, f"off by {gap:.2g}")
        lengths = np.linalg.norm(table @ vectors.T, axis=0)
        gap = relative_gap(lengths[:3], true[:3])
        exam.expect("Row i of Vt is the direction along which the table has the singular value i", gap < 1e-8,
                    f"relative difference {gap:.2g}")  # fmt: skip
        _expect_levels(exam, levels, count)
        _expect_tree(exam, fan_in, count)
        exam.expect("The rows stay on the workers: at most a few matrices of d × d numbers are sent",
                    traffic.bytes < 4 * 8 * d * d + 2000, f"{traffic.bytes:,} bytes left the workers, the table has "
                    f"{table.nbytes:,}")  # fmt: skip


def _expect_tree(exam: Examination, fan_in: FanIn, count: int) -> None:
    """Tasks on the workers join pairs, and wait for each other as in a tree; there may be one for each conversion."""
    exam.expect(
        "No task reads more than one block, or more than two matrices",
        fan_in.most_blocks <= 1 and fan_in.most <= 2,
        f"one reads {fan_in.most_blocks} blocks; the most that are read at once is {fan_in.most}",
    )
    joined = count == 1 or fan_in.most > 1
    exam.expect("Pairs are merged on the workers", joined, "no task reads two matrices" * (not joined))
    longest = 2 * (count - 1).bit_length() + 4
    exam.expect(
        "The merges form a tree, not a chain: few tasks wait for each other",
        fan_in.longest <= longest,
        f"of {counted(count, 'block')}, {fan_in.longest} tasks wait for each other",
    )


def _graded(rng: np.random.Generator, n: int, d: int, smallest: float) -> tuple[Floats, Floats]:
    """A table with known singular values, from 100 down to 100 × smallest."""
    left, _ = np.linalg.qr(rng.normal(size=(n, d)))
    right, _ = np.linalg.qr(rng.normal(size=(d, d)))
    values = 100 * np.geomspace(1, smallest, d)
    return (left * values) @ right.T, values


def _sizes(rng: np.random.Generator, n: int, d: int, count: int) -> list[int]:
    """Blocks of different size; the first of several has fewer rows than columns."""
    if count == 1:
        return [n]
    short = int(rng.integers(1, d))
    cuts = np.sort(rng.choice(np.arange(50, n - short - 50, 10), count - 2, replace=False))
    return [short, *(int(size) for size in np.diff([0, *cuts, n - short]))]


def _expect_levels(exam: Examination, levels: Any, count: int) -> None:
    try:
        found = [int(size) for size in levels]
    except (TypeError, ValueError):
        exam.require("levels is a list of whole numbers", False, describe(levels))
        raise Halt from None
    wanted = [count]
    while wanted[-1] > 1:
        wanted.append(-(-wanted[-1] // 2))
    exam.expect(
        "levels counts the matrices of each level: one per block, then merged pairs until one is left",
        found == wanted,
        f"{found} for {counted(count, 'block')}",
    )
