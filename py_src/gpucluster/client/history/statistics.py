"""Statistics of a few measured times."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Spread:
    """Median, quartiles and ends of some times."""

    median: float
    lower: float
    upper: float
    minimum: float
    maximum: float


def spread_of(values: Sequence[float]) -> Spread:
    """Return median, quartiles (interpolated), minimum and maximum."""
    ordered = sorted(values)
    return Spread(quantile(ordered, 0.5), quantile(ordered, 0.25), quantile(ordered, 0.75), ordered[0], ordered[-1])


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return a quantile of sorted values, interpolated between the nearest two."""
    place = (len(ordered) - 1) * share
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


@dataclass(frozen=True)
class Ratio:
    """The second time divided by the first."""

    medians: float  # Ratio of the medians.
    lower: float | None
    upper: float | None  # Ends of the interval; ``None`` with too few values.

    @property
    def differs(self) -> bool | None:
        """Whether the interval excludes 1; ``None`` where there is no interval."""
        if self.lower is None or self.upper is None:
            return None
        return not self.lower <= 1 <= self.upper

    @property
    def words(self) -> str:
        if self.lower is None or self.upper is None:
            return "too few runs: at least four of each are required"
        if self.lower <= 1 <= self.upper:
            return f"no difference shown ({self.lower:.2f} to {self.upper:.2f} times as long)"
        if self.upper < 1:
            return f"second {1 / self.medians:.2f} times faster ({1 / self.upper:.2f} to {1 / self.lower:.2f})"
        return f"second {self.medians:.2f} times slower ({self.lower:.2f} to {self.upper:.2f})"


def ratio_of(first: Sequence[float], second: Sequence[float], *, n_ratios: int = 1) -> Ratio:
    """Return the ratio of the second to the first time, with a 95 % confidence interval.

    `n_ratios`: how many are looked at together. All of their intervals then hold at once in 95 % of cases (Bonferroni),
    as far as so few values allow: the widest interval is that of all pairs.

    The interval is that of Hodges and Lehmann, from the ratios of all pairs. It makes no assumption about the
    distribution of times, except that the values of each series are independent and that one distribution is a multiple
    of the other. It needs four values of each. Source: M. Hollander, D. A. Wolfe and E. Chicken, *Nonparametric
    Statistical Methods*, 3rd edition (2014), section 4.3, applied to logarithms.
    """
    medians = spread_of(second).median / spread_of(first).median
    if _rank_sum_cut(len(first), len(second)) == 0:
        return Ratio(medians, None, None)
    cut = max(1, _rank_sum_cut(len(first), len(second), n_ratios))
    pairs = sorted(b / a for a in first for b in second)
    return Ratio(medians, pairs[cut - 1], pairs[len(pairs) - cut])


@cache
def _rank_sum_cut(m: int, n: int, n_ratios: int = 1) -> int:
    """Return the number of the pair from either end that bounds the interval; 0 with too few values."""
    counts = _orderings(m, n)
    allowed = (1 - CONFIDENCE) / n_ratios / 2 * sum(counts)
    total = 0
    for u, count in enumerate(counts):
        total += count
        if total > allowed:
            return u
    return 0


def _orderings(m: int, n: int) -> list[int]:
    """Return the number of orderings of m and n values by their number of inverted pairs."""
    # Coefficients of the Gaussian binomial: multiply by (1 - q^(n+i)) and divide by (1 - q^i), i from 1 to m.
    counts = [1] + [0] * (m * n)
    for i in range(1, m + 1):
        for place in range(m * n, n + i - 1, -1):
            counts[place] -= counts[place - n - i]
        for place in range(i, m * n + 1):
            counts[place] += counts[place - i]
    return counts
