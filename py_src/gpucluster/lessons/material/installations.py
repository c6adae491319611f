"""Lines of installations and containers as old guides have them, and what has become of their packages."""

from __future__ import annotations

OLD_INSTALLATION = (
    "conda install -c conda-forge -c rapidsai -c nvidia automake make libtool pkg-config libhwloc psutil python=3.8 "
    "setuptools cython cudatoolkit=10.2 cupy dask-cudf dask==2021.1.1 distributed numpy rmm"
)
"""From the guide of MPI4Dask 0.2."""
RULES: dict[str, str | None] = {
    "automake": None, "make": None, "libtool": None, "pkg-config": None, "libhwloc": None, "setuptools": None,
    "cython": None, "python": "python=3.12", "cudatoolkit": "cuda-version=13", "dask-cudf": "dask-cudf=26.10",
    "rmm": "rmm=26.10", "dask": None, "distributed": None,
}  # fmt: skip
"""For RAPIDS 26.10. Tools to compile with are not needed any more; dask-cudf brings the Dask that it goes with."""
OLD_RUN = (
    "docker run --rm -it --gpus all -p 8888:8888 -v /project/me:/data:ro -e OMP_NUM_THREADS=8 -w /data --shm-size=1g "
    "rapidsai/base:26.10-cuda13-py3.12 python train.py -v"
)
