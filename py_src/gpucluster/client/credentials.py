"""The credentials of a cluster, for ``distributed.Client``. Using this imports distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..protocol.models import ClusterModel, Network
from ..registry.record import Folder

if TYPE_CHECKING:
    from distributed.security import Security


def security_of(model: ClusterModel, folder: Folder) -> Security:
    """Return what a client needs to be let in: credentials where the protocol is TLS, else nothing.

    Who connects by a unix socket reads the secret beside it.
    """
    from distributed.security import Security

    if model.network is not Network.TLS:
        return Security()
    ca, certificate, key = (str(folder.tls / name) for name in ("ca.pem", "cert.pem", "key.pem"))
    return Security(require_encryption=True, tls_ca_file=ca, tls_client_cert=certificate, tls_client_key=key)
