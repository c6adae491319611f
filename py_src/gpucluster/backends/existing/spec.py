"""The options for a scheduler started outside gpucluster, its address, and the credentials for it."""

from __future__ import annotations

import json
import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from ...operating_system.files import NotPlain, read_plain_file
from ...protocol.errors import PreflightFailed
from ...protocol.plain_text import printable
from ...protocol.spec_base import AbsolutePath, SpecBase, advanced, not_at_default, not_shown, option

if TYPE_CHECKING:
    from distributed.security import Security


_ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9A-Fa-f:.]+(%\w+)?\]|[A-Za-z0-9._-]+):([0-9]{1,5})")
_CONFIGURED = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
_NOT_OURS = ("n_workers", "threads_per_worker", "memory_limit", "local_directory")  # Decided where workers start.
_shown = partial(option, "Scheduler")
_advanced = partial(advanced, "Scheduler")


class ExistingSpec(SpecBase):
    """A scheduler started outside gpucluster: read and connected to, never stopped."""

    model_config = ConfigDict(json_schema_extra=not_shown(*_NOT_OURS))

    backend: Literal["existing"] = Field(
        "existing", title="Kind", description="An existing scheduler: gpucluster monitors it, but never stops it."
    )
    address: str | None = _shown(
        "Address",
        None,
        "Address of the scheduler, such as 'tcp://node1:8786' or 'tls://node1:8786', or the name of a setting in "
        "Dask's configuration. Default: Dask's own 'scheduler-address', as for Client().",
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
        "TLS key", None, "Absolute path of the key of your certificate; no other user may be able to read it."
    )
    measure: bool = _advanced(
        "Measure",
        True,
        "Let the workers measure for the gauges. If off, or if gpucluster is not installed there, the gauges show what "
        "Dask measures.",
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
            raise ValueError(f"{chosen} is set by the owner of the scheduler; omit it for the kind 'existing'")
        if self.address is not None and self.scheduler_file is not None:
            raise ValueError("address and scheduler_file are alternatives; pass only one")
        files = [self.tls_ca_file, self.tls_cert, self.tls_key]
        if any(files) and not all(files):
            raise ValueError("tls_ca_file, tls_cert and tls_key must be set together")
        if any(files) and self.address is not None and self.address.startswith("tcp://"):
            raise ValueError("tls_ca_file, tls_cert and tls_key are for an address that begins with 'tls://'")
        return self


MOST_BYTES = 2**20
_FILES = ("tls_ca_file", "tls_client_cert", "tls_client_key")


def find_address(spec: ExistingSpec) -> str:
    """Return the address from the spec, a scheduler file or Dask's configuration."""
    if spec.scheduler_file is not None:
        return _checked(_in_file(Path(spec.scheduler_file)), f"scheduler_file: {spec.scheduler_file}")
    if spec.address is not None and "://" in spec.address:
        return spec.address
    import dask

    name = spec.address if spec.address is not None else "scheduler-address"
    found = dask.config.get(name, None)
    if found is None and spec.address is None and (path := dask.config.get("scheduler-file", None)) is not None:
        return _checked(_in_file(Path(str(path)).expanduser()), f"Dask's setting 'scheduler-file' ({path})")
    if found is None:
        missing = "no 'scheduler-address'" if spec.address is None else f"no setting '{spec.address}'"
        raise PreflightFailed(
            f"address: Dask's configuration has {missing}. Set an address such as 'tcp://node1:8786', or a scheduler "
            "file."
        )
    return _checked(found, f"Dask's setting '{name}'")


def _in_file(path: Path) -> Any:
    try:
        found = json.loads(read_plain_file(path, MOST_BYTES))
    except NotPlain as error:
        raise PreflightFailed(f"scheduler_file: {path} {error}; it is not a scheduler file.") from error
    except FileNotFoundError:
        raise PreflightFailed(
            f"scheduler_file: {path} does not exist. The scheduler writes it when it starts and removes it when it "
            "ends: is it running?"
        ) from None
    except OSError as error:
        raise PreflightFailed(f"scheduler_file: {path} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError):
        raise PreflightFailed(
            f"scheduler_file: {path} is not a scheduler file: it is not JSON. Dask writes one with --scheduler-file."
        ) from None
    return found.get("address") if isinstance(found, dict) else None


def _checked(address: Any, where: str) -> str:
    try:
        found = ExistingSpec(address=address)
    except ValueError:
        found = ExistingSpec()
    if found.address is None or "://" not in found.address:
        raise PreflightFailed(
            f"{where} must contain a scheduler address such as 'tcp://node1:8786', not {printable(str(address), 60)!r}."
        )
    return found.address


def find_credentials(spec: ExistingSpec, address: str) -> Security | None:
    """Return the credentials for a scheduler; ``None`` if it does not encrypt."""
    if address.startswith("tcp://"):
        if spec.tls_key is not None:
            raise PreflightFailed(f"The scheduler's address is {address}: it does not use TLS. Omit the TLS files.")
        return None
    from distributed.security import Security

    given = {"tls_ca_file": spec.tls_ca_file, "tls_client_cert": spec.tls_cert, "tls_client_key": spec.tls_key}
    security = Security(require_encryption=True, **{name: path for name, path in given.items() if path is not None})
    for name in _FILES:
        value = getattr(security, name)
        if value is None:
            raise PreflightFailed(
                f"The scheduler at {address} uses TLS: set tls_ca_file, tls_cert and tls_key, or set "
                "distributed.comm.tls in Dask's configuration."
            )
        if "\n" not in value:  # A path; Dask also accepts the text itself.
            _check_file(Path(value), secret=name == "tls_client_key")
    return security


def _check_file(path: Path, *, secret: bool) -> None:
    try:
        found = path.stat()
        read_plain_file(path, MOST_BYTES)
    except OSError as error:
        raise PreflightFailed(f"The TLS file {path} cannot be read ({error.strerror}).") from error
    except NotPlain as error:
        raise PreflightFailed(f"The TLS file {path} {error}.") from error
    if secret and (found.st_mode & 0o077 or found.st_uid not in {0, os.getuid()}):
        raise PreflightFailed(
            f"Other users can read the key {path}, so it is not secret. Run: chmod 600 {path}  (and create a new key "
            "if someone may have read it)."
        )


def keep_credentials(security: Security, folder: Path) -> None:
    """Write the credentials where the cluster's clients look for them: a folder that is removed with the cluster."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for name, file in zip(_FILES, ("ca.pem", "cert.pem", "key.pem"), strict=True):
        value = str(getattr(security, name))
        descriptor = os.open(folder / file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as written:
            written.write(value if "\n" in value else Path(value).read_text(encoding="ascii"))
