"""k-means under ``mpiexec``, started by the tests: each rank fits on its own rows; rank 0 writes the results."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
from gpucluster.learn import KMeans, MPICommunicator, config_context
from sklearn.datasets import load_digits


def main() -> None:
    """Fit with given centers and with each way of choosing them."""
    communicator = MPICommunicator()
    X = load_digits().data
    cuts = [0, *(len(X) * np.cumsum(np.arange(1, communicator.size + 1)) // sum(range(communicator.size + 1)))]
    own = X[cuts[communicator.rank] : cuts[communicator.rank + 1]]
    found = {}
    with config_context(communicator=communicator):
        for init in ("given", "k-means++", "k-means||", "random"):
            start = X[:10] if init == "given" else init
            model = KMeans(10, init=start, n_init=1, random_state=3).fit(own)
            labels = communicator.gather(model.labels_.tolist())
            found[init] = {
                "centers": model.cluster_centers_.tolist(), "inertia": model.inertia_, "n_iter": model.n_iter_,
                "labels": [label for part in labels or [] for label in part],
            }  # fmt: skip
        # Each rank would draw a different seed: they must agree on one.
        spread = communicator.gather(KMeans(10).fit(own).inertia_)
        found["inertias without a seed"] = spread
    if communicator.rank == 0:
        Path(sys.argv[1]).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
