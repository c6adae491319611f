"""The credentials of a cluster, for ``distributed.Client``. Using this imports distributed."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..dask_internals.other_packages import SCHEME, know_addresses
from ..operating_system.files import open_own_file
from ..protocol.errors import InvalidState, MissingPackage
from ..protocol.models import ClusterModel, Network
from ..registry.record import Folder
from ..registry.store import Registry

if TYPE_CHECKING:
    from distributed.security import Security

_LOADER = "distributed.client.security-loader"
_GATEWAY = f"{SCHEME}://"
_SCHEMES = ("tls://", _GATEWAY)


def security_of(model: ClusterModel, folder: Folder) -> Security:
    """Return the credentials of a client for TLS; other protocols need none, and unix sockets a secret beside them."""
    from distributed.security import Security

    if (model.scheduler_address or "").startswith(_GATEWAY):
        _know_gateways()
    if model.network is not Network.TLS:
        return Security()
    ca, certificate, key = (str(_credential(folder.tls / name)) for name in ("ca.pem", "cert.pem", "key.pem"))
    return Security(require_encryption=True, tls_ca_file=ca, tls_client_cert=certificate, tls_client_key=key)


def _credential(path: Path) -> Path:
    """Check a file before OpenSSL opens it, which would hang on a named pipe, and return its path."""
    try:
        with suppress(FileNotFoundError):  # The cluster has ended; connecting will report it.
            os.close(open_own_file(path))
    except OSError as error:
        raise InvalidState(f"The cluster's credentials cannot be read: {path}: {error.strerror}.") from None
    return path


def find_credentials_for(address: str) -> None:
    """Let ``Client(address)`` find credentials of this user's clusters: Dask's ``security-loader``, unless set."""
    if address.startswith(_SCHEMES):
        import dask

        if dask.config.get(_LOADER, None) is None:
            dask.config.set({_LOADER: f"{__name__}.{security_at.__name__}"})


def security_at(asked: dict[str, Any]) -> Security | None:
    """Return the credentials of the cluster at an address; ``None``: use Dask's own settings.

    `asked`: what Dask passes, with the ``address``. Raises `InvalidState`: no cluster of this user listens there.
    """
    address = str(asked["address"])
    if not address.startswith(_SCHEMES):
        return None
    registry = Registry()
    for model in registry.list():
        if model.scheduler_address == address:
            return security_of(model, registry.folder(model.id))
    import dask

    if dask.config.get("distributed.comm.tls.client.cert", None) is not None:
        return None
    raise InvalidState(
        f"None of your clusters is listening at {address}; it may have stopped (gpucluster.list() shows running ones). "
        "To connect to another user's cluster, pass its credentials: Client(address, security=…)."
    )


def _know_gateways() -> None:
    try:
        know_addresses()
    except ImportError:
        raise MissingPackage(
            "This cluster is reached through a Dask Gateway, for which this Python environment lacks the package "
            "dask-gateway: pip install 'gpucluster[gateway]'"
        ) from None
