"""The options of clusters whose workers are the ranks of one MPI program."""

from __future__ import annotations

import re
import shlex
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator, model_validator

from ...protocol.machine_spec import GPUSpec, NodeSpec
from ...protocol.plain_text import printable
from ...protocol.spec_base import AbsolutePath, WorkerCount, advanced, option

MOST_OPTIONS = 100
_LAUNCHER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]{0,99}")
_COUNTS = frozenset({"-n", "-np", "--np", "--n", "--ntasks"})  # Options of launchers for ``n_workers``.
_shown = partial(option, "MPI")
_advanced = partial(advanced, "MPI")


def _parse_options(value: Any) -> Any:
    """Read a list, or text as on a command line, without a shell."""
    if not isinstance(value, str):
        return value
    try:
        return shlex.split(value)
    except ValueError as error:
        raise ValueError(f"cannot be parsed ({str(error).lower()}): close each quotation mark") from None


Options = Annotated[
    list[str],
    BeforeValidator(_parse_options),
    WithJsonSchema({"type": ["string", "array"], "items": {"type": "string"}}),
]


class MPISpec(NodeSpec, GPUSpec):
    """Workers as the ranks of one MPI program."""

    backend: Literal["mpi"] = Field(
        "mpi",
        title="Kind",
        description="Workers as the ranks of one MPI program (dask-mpi), even within a Slurm allocation; their number "
        "is fixed: workers can be neither added nor retired.",
    )
    n_workers: WorkerCount | None = option(
        "Cluster",
        "Workers",
        None,
        "Number of ranks, each a worker; fixed while the cluster runs. Default: one per core that Slurm has "
        "allocated, elsewhere up to four; with GPUs one for each.",
        unit="worker",
    )
    # A wider choice than that of the other kinds.
    protocol: Literal["tls", "tcp", "mpi"] = advanced(  # type: ignore[assignment]
        "Network",
        "Network",
        "tls",
        "'tls' encrypts, and lets only you connect. 'mpi' connects ranks by MPI, which is not encrypted, and all "
        "others by 'tls'. 'tcp' is open: anyone who can reach one of these machines can run code as you.",
    )
    launcher: str | None = _shown(
        "Launcher",
        None,
        "What starts the ranks: 'mpiexec', 'mpirun', 'srun', or an absolute path. Default: srun within a Slurm "
        "allocation, else the one beside Python, else the first one on the PATH.",
    )
    launcher_options: Options | None = _advanced(
        "Launcher options",
        None,
        "More options of the launcher, such as '--hostfile /home/me/hosts' or '--nodes 2'; other users of the machine "
        "can read them.",
    )
    nanny: bool = _advanced(
        "Nannies",
        False,
        "Run each worker in a separate process that its rank monitors and restarts if it dies or exceeds its memory "
        "limit. Tasks then cannot use MPI.",
    )
    gpus_per_rank: Annotated[int, Field(strict=True, ge=0, le=1)] = _shown(
        "GPUs per rank",
        0,
        "1: each worker has a GPU of its host (dask-cuda), chosen by local rank; tasks then cannot use MPI. 0: CPU "
        "workers.",
    )
    rank_python: AbsolutePath | None = _advanced(
        "Python path of the ranks",
        None,
        "Absolute path of the Python that the ranks run; it needs gpucluster[mpi]. Default: the cluster's own.",
    )

    @property
    def port_protocol(self) -> str:
        """The protocol of ports, including those of the scheduler."""
        return "tls" if self.protocol == "mpi" else self.protocol

    @property
    def options(self) -> list[str]:
        return self.launcher_options or []

    @property
    def has_nannies(self) -> bool:
        """Whether each worker runs in a separate process below its rank, as dask-cuda's always do."""
        return self.nanny or self.gpus_per_rank > 0

    @field_validator("launcher")
    @classmethod
    def _program(cls, value: str | None) -> str | None:
        if value is None or _LAUNCHER.fullmatch(value):
            return value
        try:
            return cls._absolute(value)
        except ValueError:
            raise ValueError("must be the name of a program, such as 'mpiexec', or an absolute path") from None

    @field_validator("launcher_options")
    @classmethod
    def _words(cls, value: list[str] | None) -> list[str] | None:
        if value is None:
            return None
        if len(value) > MOST_OPTIONS:
            raise ValueError(f"may have at most {MOST_OPTIONS} arguments")
        for word in value:
            if not word or not word.isprintable() or len(word) > 1000:
                raise ValueError(f"{printable(word, 40)!r} is not a valid command-line argument")
            if word.partition("=")[0] in _COUNTS:
                raise ValueError(f"{printable(word, 40)!r} is set by n_workers; omit it")
        if value and not value[0].startswith("-"):
            raise ValueError(
                f"must begin with an option, such as '--hostfile', not with {printable(value[0], 40)!r}: launchers "
                "treat the first word that is not an option as the program to start"
            )
        return value

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if self.lifetime_seconds is not None and not self.has_nannies:
            raise ValueError("lifetime_seconds requires nanny: otherwise a worker cannot restart without its rank")
        if self.protocol == "mpi" and self.has_nannies:
            which = "gpus_per_rank" if self.gpus_per_rank else "nanny"
            raise ValueError(f"protocol 'mpi' cannot be combined with {which}: such workers are not ranks. Use 'tls'")
        chosen = self.chosen_gpu_options()
        if chosen and not self.gpus_per_rank:
            raise ValueError(f"{chosen[0]} is for workers with a GPU: set gpus_per_rank to 1")
        return self
