"""All pieces of the proof, in the order in which they are worth having."""

from __future__ import annotations

from .piece import Piece

_RAPIDS = ("cudf", "cupy", "rmm", "dask_cuda")
_FIGURES = ("--figures", "{figures}")


def pieces(*, simulated: bool) -> tuple[Piece, ...]:
    """Return the pieces that can run on a real GPU, or on a simulated one as far as that goes."""
    marks = ("--simulated",) if simulated else ()
    found = (
        Piece(
            "settings",
            "clusters with each memory setting start, compute, restart and leave nothing behind",
            ("-m", "benchmarks.gpu.clusters", "settings", *_FIGURES, *marks),
            420,
            ("dask_cuda",),
        ),
        Piece(
            "tests",
            "the tests that need a GPU",
            ("-m", "pytest", "-q", "-m", "gpu", "tests/gpu", "-p", "no:cacheprovider"),
            540,
            (*_RAPIDS, "pytest"),
            simulated=False,
        ),
        Piece(
            "gauges",
            "every gauge tells what was allocated",
            ("-m", "benchmarks.gpu.gauges", *_FIGURES),
            300,
            _RAPIDS,
            simulated=False,
        ),
        *(
            Piece(
                f"lesson-{number}",
                f"lesson {number} runs unchanged on the GPU",
                ("-m", "benchmarks.gpu.lessons", "run", number, *_FIGURES),
                300,
                (*_RAPIDS, "nbclient", "cuml"),
                simulated=False,
            )
            for number in ("00", "01", "02", "03", "04", "05", "06", "07", "08")
        ),
        Piece(
            "direct",
            "k-means, PCA and truncated SVD through our API and by cuml.dask itself",
            ("-m", "benchmarks.gpu.speed", "direct", *_FIGURES),
            420,
            (*_RAPIDS, "cuml"),
            simulated=False,
        ),
        Piece(
            "cpu",
            "the same work on the GPU and on the CPU cores of this machine",
            ("-m", "benchmarks.gpu.speed", "cpu", *_FIGURES),
            540,
            (*_RAPIDS, "cuml"),
            simulated=False,
        ),
        Piece(
            "starts",
            "cold and warm starts, with and without RAPIDS preloaded",
            ("-m", "benchmarks.gpu.clusters", "starts", *_FIGURES, *marks),
            480,
            ("dask_cuda",),
        ),
        Piece(
            "sampling",
            "what looking at the gauges costs a computation on the GPU",
            ("-m", "benchmarks.gpu.speed", "sampling", *_FIGURES),
            240,
            (*_RAPIDS, "cuml"),
            simulated=False,
        ),
        Piece(
            "allocations",
            "the same allocations with and without a pool, written down by RMM",
            ("-m", "benchmarks.gpu.allocations", *_FIGURES),
            120,
            _RAPIDS,
            simulated=False,
        ),
        Piece(
            "recordings",
            "real gauge sessions for replay",
            ("-m", "benchmarks.gpu.recordings", *_FIGURES),
            420,
            (*_RAPIDS, "cuml"),
            simulated=False,
        ),
    )
    return tuple(piece for piece in found if piece.simulated or not simulated)
