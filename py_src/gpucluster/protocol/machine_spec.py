"""The options of kinds that start their workers' processes themselves, beside those of every kind."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, field_validator

from .plain_text import printable
from .sizes import MemorySizeOrAuto
from .spec_base import MOST_SECONDS, Interface, SpecBase, shown_in
from .version import GIVEN_VARIABLES

MODULE_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_VARIABLE = re.compile(r"[^=\0\s]{1,200}")
_RESOURCE = re.compile(r"[^\s,=\0]{1,100}")
"""Dask's command line, which starts workers elsewhere, splits names at spaces, ',' and '='."""
_MOST_ENTRIES = 200
HIDDEN = "…"  # Replaces the value of a variable, which may be a password, in a record.


def _pairs(value: Any, example: str) -> dict[Any, Any]:
    """Read a mapping, or the same as text: ``NAME=value,OTHER=value``."""
    if isinstance(value, str):
        parts = [part.strip() for part in value.split(",") if part.strip()]
        if not all("=" in part for part in parts):
            raise ValueError(f"must be written like {example}")
        value = {name.strip(): given.strip() for name, _, given in (part.partition("=") for part in parts)}
    if not isinstance(value, Mapping):
        raise ValueError(f"must be a mapping of names to values, or text like {example}")
    if len(value) > _MOST_ENTRIES:
        raise ValueError(f"may have at most {_MOST_ENTRIES} entries")
    return dict(value)


def _parse_environment(value: Any) -> dict[str, str]:
    found = {}
    for name, given in _pairs(value, "'NAME=value,OTHER=value'").items():
        if not isinstance(name, str) or not _VARIABLE.fullmatch(name):
            raise ValueError(f"{str(name)[:40]!r} cannot be the name of an environment variable")
        if not isinstance(given, (str, int, float)):
            raise ValueError(f"the value of {printable(name, 40)} must be text or a number")
        text = str(given)
        try:
            fits = "\0" not in text and os.fsencode(name + text)
        except UnicodeEncodeError:
            fits = False
        if not fits:
            raise ValueError(f"{printable(name, 40)} has a value that no environment variable can have")
        found[name] = text
    return found


def _parse_resources(value: Any) -> dict[str, float]:
    found = {}
    for name, given in _pairs(value, "'GPU=2,MEMORY=4e9'").items():
        if not isinstance(name, str) or not _RESOURCE.fullmatch(name) or not name.isprintable():
            raise ValueError(
                f"'{printable(str(name), 40)}' cannot be the name of a resource: it may have letters, digits and other "
                "signs, but no space, ',' or '=', and at most 100 of them"
            )
        try:
            amount = math.nan if isinstance(given, bool) else float(given)
        except (OverflowError, TypeError, ValueError):
            amount = math.nan
        if not math.isfinite(amount) or amount < 0:
            raise ValueError(f"the amount of {name[:40]} must be a number of at least 0")
        found[name] = amount
    return found


def _parse_preload(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


READ_WHEN_LOADED = (
    "LD_", "PYTHON", "DASK_", "CUDA_", "NVIDIA_", "UCX_", "RAPIDS_", "CUDF_", "RMM_", "OMP_", "MKL_",
    "OPENBLAS_", "MALLOC_", "NUMBA_", "NUMEXPR_",
)  # fmt: skip
"""Prefixes of variables that programs and libraries read when loaded; forked workers have loaded them already."""
_TEXT_OR_OBJECT = WithJsonSchema({"type": ["string", "object"]})
Environment = Annotated[dict[str, str], BeforeValidator(_parse_environment), _TEXT_OR_OBJECT]
Resources = Annotated[dict[str, float], BeforeValidator(_parse_resources), _TEXT_OR_OBJECT]
Lifetime = Annotated[int, Field(strict=True, ge=1, le=MOST_SECONDS)]


class MachineSpec(SpecBase):
    """Options of kinds that start their workers' processes themselves, on this machine unless they say otherwise."""

    forked: ClassVar[bool] = True
    """Whether workers are forked from the process that starts them."""
    env: Environment | None = Field(
        None,
        title="Environment variables",
        description="Environment variables of the workers, as 'NAME=value,OTHER=value'; in Python and "
        "JSON also a mapping. The values are not stored.",
        json_schema_extra=shown_in("Cluster", advanced=True, empty="none"),
    )
    resources: Resources | None = Field(
        None,
        title="Resources",
        description="Abstract resources of each worker, as 'GPU=2,MEMORY=4e9'; in Python and JSON also a mapping.",
        json_schema_extra=shown_in("Cluster", advanced=True, empty="none"),
    )
    preload: Annotated[list[str], BeforeValidator(_parse_preload)] = Field(
        default_factory=list,
        title="Preload",
        description="Modules, or absolute paths of Python files, that each worker runs when it starts; their "
        "'dask_setup(worker)' is called.",
        json_schema_extra=shown_in("Cluster", advanced=True),
    )
    lifetime_seconds: Lifetime | None = Field(
        None,
        title="Worker lifetime",
        description="Seconds after which a worker hands over its results and restarts; none: never.",
        json_schema_extra=shown_in("Cluster", advanced=True),
    )
    lifetime_stagger_seconds: Lifetime | None = Field(
        None,
        title="Lifetime jitter",
        description="Random difference between the lifetimes of workers, in seconds, so that they do not all "
        "restart at once.",
        json_schema_extra=shown_in("Cluster", advanced=True),
    )

    def process_environment(self) -> dict[str, str]:
        """Return the variables, packed for the workers, so that they do not affect the process that starts them.

        If workers are forked from that process, it gets the variables that are read when libraries are loaded.
        """
        given = self.env or {}
        own = {name: value for name, value in given.items() if self.forked and name.startswith(READ_WHEN_LOADED)}
        packed = {name: value for name, value in given.items() if name not in own}
        return {**super().process_environment(), **own, **({GIVEN_VARIABLES: json.dumps(packed)} if packed else {})}

    def written_down(self) -> SpecBase:
        """Return the spec without the values of variables; the processes have them from their environment."""
        return self if not self.env else self.model_copy(update={"env": dict.fromkeys(self.env, HIDDEN)})

    @field_validator("preload")
    @classmethod
    def _preloads(cls, value: list[str]) -> list[str]:
        for name in value:
            is_file = os.path.isabs(name) and name.endswith(".py") and name.isprintable()
            if not is_file and not MODULE_NAME.fullmatch(name):
                raise ValueError(
                    f"{name[:60]!r} is neither the name of a module nor the absolute path of a Python file; nothing "
                    "is downloaded"
                )
        return value


class ScratchSpec(MachineSpec):
    """Options of kinds whose workers spill to a disk of this machine."""

    scratch_limit: MemorySizeOrAuto | None = Field(
        "auto",
        title="Scratch limit",
        description="Limit on what all workers together spill to disk: a size ('20 GiB'), a percentage of the disk "
        "('10%'), 'auto' for half of what is free when the cluster starts (or of what the site leaves you, if that is "
        "less), or none for no limit, which a site may reject. What does not fit stays in memory.",
        json_schema_extra=shown_in("Memory", advanced=True),
    )


class NodeSpec(MachineSpec):
    """Options of kinds that start workers on other machines; the scheduler is on this one."""

    forked: ClassVar[bool] = False

    memory_limit: MemorySizeOrAuto | None = Field(
        "auto",
        title="Host memory per worker",
        description=(
            "Host memory of one worker: a size ('2 GiB'), 'auto' for its share of the memory where it runs, or none "
            "(also 0) for no limit."
        ),
        json_schema_extra=shown_in("Memory"),
    )
    local_directory: str | None = Field(
        None,
        title="Scratch directory",
        description="Absolute path of a directory on a local disk of the workers' machines, for spilled data. A "
        "private folder is made inside.",
        json_schema_extra=shown_in("Memory", advanced=True),
    )
    interface: Interface | None = Field(
        None,
        title="Network interface",
        description="Interface of this machine that the cluster listens on, such as 'ib0': for UCX, and for workers on "
        "other machines. Default: this machine only, or the one that leads to them.",
        json_schema_extra=shown_in("Network", advanced=True),
    )
    protocol: Literal["tls", "tcp"] = Field(
        "tls",
        title="Network",
        description="'tls' encrypts, and lets only you connect. 'tcp' is open: anyone who can reach one of these "
        "machines can run code as you.",
        json_schema_extra=shown_in("Network", advanced=True),
    )

    @field_validator("memory_limit")
    @classmethod
    def _absolute_size(cls, value: Any) -> Any:
        if isinstance(value, float):
            raise ValueError("must be a size, such as '2 GiB', not a percentage: machines differ")
        return value
