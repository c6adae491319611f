"""The verbs ``gpucluster lab`` and ``gpucluster lessons``."""
