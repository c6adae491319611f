"""Make the recording of CPU workers that comes with gpucluster: k-means of ``gpucluster.learn`` on two of them.

    python scripts/make_recordings.py

It takes about half a minute. Recordings of GPUs are made on a machine that has one; ``docs/recordings.md`` says how.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import gpucluster
from gpucluster.datasets import patches, pixels
from gpucluster.learn import KMeans

TARGET = Path(__file__).parents[1] / "notebooks" / "data" / "recordings" / "kmeans-cpu.gpucluster.jsonl.gz"
NOTE = "gpucluster.learn.KMeans on the pixels and the 8 × 8 patches of a photo"


def main() -> int:
    """Record, and say what was written."""
    cluster = gpucluster.create("local", n_workers=2, memory_limit="1 GiB", name="kmeans-cpu")
    with cluster, cluster.get_client():
        recorder = cluster.recording(TARGET, title="k-means on two CPU workers", note=NOTE)
        with recorder:
            time.sleep(3)
            for number in (4, 8):
                KMeans(n_clusters=number, random_state=0).fit(pixels(n_blocks=4))
                time.sleep(1)
            squares = patches(8, n_blocks=8, photo="china").persist()
            model = KMeans(n_clusters=16, random_state=0, max_iter=30).fit(squares)
            labels = model.predict(squares).persist()
            labels.sum().compute()
            del squares, labels
            time.sleep(3)
        written = recorder.stop()
    print(f"{written.samples} samples, {written.size_bytes} bytes: {written.path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
