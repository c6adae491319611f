from collections import Counter

from gpucluster import learn


def stable_k(runs_of, at_least=0.8, smallest=0.005):
    for k in sorted(runs_of, reverse=True):
        runs = runs_of[k]
        pairs = [learn.adjusted_rand_score(runs[i], runs[j]) for i in range(len(runs)) for j in range(i)]
        sizes = [count / len(run) for run in runs for count in Counter(run.tolist()).values()]
        if min(pairs) >= at_least and min(sizes) >= smallest:
            return k
    return 0
