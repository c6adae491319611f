import itertools

from sklearn.metrics import adjusted_rand_score


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    return max(
        [
            k
            for k, runs in runs_of.items()
            if all(adjusted_rand_score(a, b) >= at_least for a, b in itertools.combinations(runs, 2))
        ],
        default=0,
    )
