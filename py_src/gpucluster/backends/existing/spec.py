"""The options for a scheduler started outside gpucluster."""

from __future__ import annotations

import re
from functools import partial
from typing import Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from ...protocol.plain_text import printable
from ...protocol.spec_base import SpecBase, not_shown
from ..spec_fields import AbsolutePath, advanced, not_at_default, option

_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9A-Fa-f:.]+(%\w+)?\]|[A-Za-z0-9._-]+):([0-9]{1,5})")
_CONFIGURED = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_NOT_OURS = ("n_workers", "threads_per_worker", "memory_limit", "local_directory")
"""Decided where the workers are started."""
_shown = partial(option, "Scheduler")
_advanced = partial(advanced, "Scheduler")


class ExistingSpec(SpecBase):
    """A scheduler started outside gpucluster: read and connected to, never stopped."""

    model_config = ConfigDict(json_schema_extra=not_shown(*_NOT_OURS))

    backend: Literal["existing"] = Field(
        "existing",
        title="Kind",
        description="An existing scheduler: gpucluster monitors it and connects to it, but never stops it.",
    )
    address: str | None = _shown(
        "Address",
        None,
        "Address of the scheduler, such as 'tcp://node1:8786' or 'tls://node1:8786', or the name of a setting of "
        "Dask's configuration that holds it. Default: Dask's own 'scheduler-address', as for Client().",
        empty="tcp://node1:8786",
    )
    scheduler_file: AbsolutePath | None = _shown(
        "Scheduler file",
        None,
        "Absolute path of the file that the scheduler was started with (--scheduler-file), instead of an address.",
        empty="none",
    )
    tls_ca_file: AbsolutePath | None = _advanced(
        "TLS authority",
        None,
        "Absolute path of the certificate of the authority, for an address that begins with tls://. Default: from "
        "Dask's configuration.",
    )
    tls_cert: AbsolutePath | None = _advanced("TLS certificate", None, "Absolute path of your certificate.")
    tls_key: AbsolutePath | None = _advanced(
        "TLS key",
        None,
        "Absolute path of the key of your certificate; no other user may be able to read it.",
    )
    measure: bool = _advanced(
        "Measure",
        True,
        "Let its workers measure for the gauges while gpucluster monitors them. If off, or if they have no "
        "gpucluster, the gauges show what Dask measures.",
    )

    @property
    def protocol(self) -> str:
        """What the cluster's process must prepare: nothing, as the scheduler has its credentials."""
        return "tcp"

    @field_validator("address")
    @classmethod
    def _known_form(cls, value: str | None) -> str | None:
        if value is None or _CONFIGURED.fullmatch(value):
            return value
        found = _ADDRESS.fullmatch(value)
        if not found or not 0 < int(found[4]) < 65536:
            raise ValueError(
                f"{printable(value, 60)!r} is not the address of a scheduler: write it like 'tcp://node1:8786' or "
                "'tls://node1:8786'"
            )
        return value

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if chosen := not_at_default(self, _NOT_OURS):
            raise ValueError(f"{chosen} is set by the owner of the scheduler; leave it out for the kind 'existing'")
        if self.address is not None and self.scheduler_file is not None:
            raise ValueError("address and scheduler_file mean the same; pass one of them")
        files = [self.tls_ca_file, self.tls_cert, self.tls_key]
        if any(files) and not all(files):
            raise ValueError("tls_ca_file, tls_cert and tls_key belong together; give all three")
        if any(files) and self.address is not None and self.address.startswith("tcp://"):
            raise ValueError("tls_ca_file, tls_cert and tls_key are for an address that begins with 'tls://'")
        return self
