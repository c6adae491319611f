"""Lesson 15, no cluster needed: regimes that stay the same, the lift of a list, and the best split of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from ...examination import Examination
from .. import exercise
from ..answers import Floats, number, several

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
        sentence = {0: "Where no number of clusters will do, it is 0"}.get(
            true, "It is the largest number whose runs all agree, and whose clusters are all large enough"
        )
        exam.expect(sentence, found == true, f"{found:g} where {true} is right; the runs: {_told(chosen)}")
        if not exam.passed:
            return
    for told, runs, at_least, smallest in _border_cases(exam.rng):
        given = {2: [exam.rng.permutation(2)[run % 2] for run in [runs[0]] * 2], 3: runs}
        found = number(exam, exam.call(stable_k, given, at_least, smallest), "The result")
        true = true_choice(given, at_least, smallest)
        exam.expect("Every two runs must agree, and every run must have large clusters only", found == true,
                    f"{found:g} where {true} is right; the runs of 3: {told}")  # fmt: skip


def _border_cases(rng: np.random.Generator) -> list[tuple[str, list[Any], float, float]]:
    """Return labelings with three clusters that a shorter look takes for stable, or a stricter one for unstable."""
    base = rng.permutation(np.repeat([0, 1, 2], [195, 195, 10]))

    def moved(run: Any, first: int, count: int) -> Any:
        """Give so many rows of the clusters 0 and 1 to the other one, beginning with some row."""
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
            sentence = "It is the share of late flights on the list, divided by that among all flights"
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
    exam.expect("Chances count with all their digits: only equal ones are equal",
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
            exam.expect("Where no split gains anything, all rows stay left: (0, last bin, 0.0)",
                        (feature, at) == (0, shape[1] - 1) and abs(gain) < 1e-9,
                        f"({feature:g}, {at:g}, {gain:.3g})")  # fmt: skip
        else:
            exam.expect("The gain is the largest of all features and bins", abs(gain - best) < 1e-6 * max(1, best),
                        f"{gain:.4f}")  # fmt: skip
            exam.expect("The split that is named has this gain; rows up to and with its bin go left",
                        abs(gains[int(feature), int(at)] - best) < 1e-6 * max(1, best),
                        f"feature {feature:g}, bin {at:g}: {describe_gain(gains, feature, at)}")  # fmt: skip
        if not exam.passed:
            return


def describe_gain(gains: Floats, feature: float, at: float) -> str:
    """Say what a split gains."""
    return f"gains {gains[int(feature), int(at)]:.4f}"
