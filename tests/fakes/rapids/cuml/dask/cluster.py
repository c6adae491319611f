"""SIMULATED."""

import sklearn.cluster

from .simulated import Simulated


class KMeans(Simulated):
    known = {
        "n_clusters", "max_iter", "tol", "random_state", "init", "n_init", "oversampling_factor",
        "max_samples_per_batch", "device_buffer_samples", "init_size",
    }  # fmt: skip

    def local(self):
        if isinstance(self.kwargs["init"], str) and self.kwargs["init"] == "k-means++":
            raise ValueError("init='k-means++' is not supported in multi-GPU mode")
        init = self.kwargs["init"]
        return sklearn.cluster.KMeans(
            self.kwargs["n_clusters"], init="k-means++" if isinstance(init, str) else init,
            n_init=self.kwargs["n_init"], max_iter=self.kwargs["max_iter"], tol=self.kwargs["tol"],
            random_state=self.kwargs["random_state"] or 0,
        )  # fmt: skip
