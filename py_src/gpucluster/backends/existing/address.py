"""The address of the scheduler, and the credentials for it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...operating_system.files import NotPlain, read_plain_file
from ...protocol.errors import PreflightFailed
from ...protocol.plain_text import printable
from .spec import ExistingSpec

if TYPE_CHECKING:
    from distributed.security import Security

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
            f"address: Dask's configuration has {missing}. Give an address such as 'tcp://node1:8786', or a scheduler "
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
            f"scheduler_file: there is no file {path}. The scheduler writes it when it starts and removes it when it "
            "ends: is it running?"
        ) from None
    except OSError as error:
        raise PreflightFailed(f"scheduler_file: {path} cannot be read ({error.strerror}).") from error
    except (ValueError, RecursionError):
        raise PreflightFailed(
            f"scheduler_file: {path} is not a scheduler file: it holds no JSON. Dask writes one with --scheduler-file."
        ) from None
    return found.get("address") if isinstance(found, dict) else None


def _checked(address: Any, where: str) -> str:
    try:
        found = ExistingSpec(address=address)
    except ValueError:
        found = ExistingSpec()
    if found.address is None or "://" not in found.address:
        raise PreflightFailed(
            f"{where} holds no scheduler address, such as 'tcp://node1:8786', but {printable(str(address), 60)!r}."
        )
    return found.address


def find_credentials(spec: ExistingSpec, address: str) -> Security | None:
    """Return the credentials for a scheduler; ``None`` if it does not encrypt."""
    if address.startswith("tcp://"):
        if spec.tls_key is not None:
            raise PreflightFailed(f"The scheduler's address is {address}: it takes no TLS files. Leave them out.")
        return None
    from distributed.security import Security

    given = {"tls_ca_file": spec.tls_ca_file, "tls_client_cert": spec.tls_cert, "tls_client_key": spec.tls_key}
    security = Security(require_encryption=True, **{name: path for name, path in given.items() if path is not None})
    for name in _FILES:
        value = getattr(security, name)
        if value is None:
            raise PreflightFailed(
                f"The scheduler at {address} uses TLS: give tls_ca_file, tls_cert and tls_key, or set "
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
            f"Other users can read the key {path}, so it protects nothing. Run: chmod 600 {path}  (and make a new "
            "key if someone may have read it)."
        )


def keep_credentials(security: Security, folder: Path) -> None:
    """Write the credentials where the cluster's clients look for them: a folder that is removed with the cluster."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for name, file in zip(_FILES, ("ca.pem", "cert.pem", "key.pem"), strict=True):
        value = str(getattr(security, name))
        descriptor = os.open(folder / file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as written:
            written.write(value if "\n" in value else Path(value).read_text(encoding="ascii"))
