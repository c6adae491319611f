"""All pieces of the proof, in the order in which they are worth having."""

from __future__ import annotations

from .piece import Piece

_RAPIDS = ("cudf", "cupy", "rmm", "dask_cuda")
_CUML = (*_RAPIDS, "cuml", "dask_cudf", "raft_dask")
_FIGURES = ("--figures", "{figures}")


def pieces(*, simulated: bool) -> tuple[Piece, ...]:
    """Return the pieces that can run on a real GPU, or on a simulated one as far as that goes."""
    marks = ("--simulated",) if simulated else ()
    found = (
        Piece(
            "settings",
            "clusters with each memory setting start, compute, restart and leave nothing behind",
            ("-m", "benchmarks.gpu.clusters", "settings", *_FIGURES, *marks),
            300,
            ("dask_cuda",),
        ),
        Piece(
            "gauges",
            "every gauge tells what was allocated",
            ("-m", "benchmarks.gpu.gauges", *_FIGURES),
            240,
            _RAPIDS,
            simulated=False,
        ),
        Piece(
            "recordings",
            "real gauge sessions for replay",
            ("-m", "benchmarks.gpu.recordings", *_FIGURES),
            300,
            _CUML,
            simulated=False,
        ),
        Piece(
            "tests",
            "the tests that need a GPU",
            ("-m", "pytest", "-q", "-m", "gpu", "tests/gpu", "-p", "no:cacheprovider", *_FIGURES),
            420,
            (*_CUML, "pytest", "pytest_asyncio", "pytest_timeout"),
            simulated=False,
        ),
        Piece(
            "direct",
            "k-means, PCA and truncated SVD through our API and by cuml.dask itself",
            ("-m", "benchmarks.gpu.speed", "direct", *_FIGURES),
            240,
            _CUML,
            simulated=False,
        ),
        Piece(
            "starts",
            "cold and warm starts, with and without RAPIDS preloaded",
            ("-m", "benchmarks.gpu.clusters", "starts", *_FIGURES, *marks),
            400,
            ("dask_cuda",),
        ),
        *(
            Piece(
                f"lesson-{number}",
                f"lesson {number} runs unchanged on the GPU",
                ("-m", "benchmarks.gpu.lessons", "run", number, "--needs-gpu", *_FIGURES),
                240,
                (*_CUML, "nbclient", "ipykernel"),
                simulated=False,
            )
            for number in ("06", "07", "08", "05", "11", "02", "00", "01", "03", "04", "10", "12", "13", "15")
        ),
        Piece(
            "cpu",
            "the same work on the GPU and on the CPU cores of this machine",
            ("-m", "benchmarks.gpu.speed", "cpu", *_FIGURES),
            400,
            _CUML,
            simulated=False,
        ),
        Piece(
            "slots",
            "four clusters share the GPU by slots",
            ("-m", "benchmarks.gpu.sharing", "slots", *_FIGURES),
            150,
            _RAPIDS,
            simulated=False,
        ),
        Piece(
            "comms",
            "small and large results over each protocol",
            ("-m", "benchmarks.gpu.sharing", "comms", *_FIGURES),
            150,
            (*_RAPIDS, "ucxx"),
            simulated=False,
        ),
        Piece(
            "sampling",
            "what looking at the gauges costs a computation on the GPU",
            ("-m", "benchmarks.gpu.speed", "sampling", *_FIGURES),
            180,
            _CUML,
            simulated=False,
        ),
        Piece(
            "allocations",
            "the same allocations with and without a pool, written down by RMM",
            ("-m", "benchmarks.gpu.allocations", *_FIGURES),
            90,
            _RAPIDS,
            simulated=False,
        ),
    )
    return tuple(piece for piece in found if piece.simulated or not simulated)
