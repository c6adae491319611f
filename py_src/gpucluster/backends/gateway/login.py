"""The Dask Gateway server, and the login there. Secrets leave this module only to the server."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ...protocol.errors import MissingPackage, PreflightFailed
from ...protocol.plain_text import printable
from .spec import HUB_TOKEN, GatewaySpec

MOST_BYTES = 65536
NOT_INSTALLED = (
    "The kind 'gateway' needs the package dask-gateway in the cluster's Python environment: "
    "pip install 'gpucluster[gateway]'"
)


@dataclass(frozen=True)
class Login:
    """A server and how to log in, without secrets, so that it can be written down."""

    address: str
    proxy_address: str | None = None
    auth: str | None = None
    username: str | None = None
    password_from: str | None = None

    @classmethod
    def of(cls, spec: GatewaySpec) -> Self:
        """Return the login of a spec; defaults come from Dask's configuration."""
        address = spec.address
        if address is None:
            found = configured("address")
            if found is None:
                raise PreflightFailed(
                    "address: Dask's configuration has no 'gateway.address'. Give the address of the Dask Gateway "
                    "server, such as 'https://hub.example.org/services/dask-gateway'."
                )
            address = _checked(found)
        return cls(address, spec.proxy_address, spec.auth, spec.username, spec.password_from)

    def gateway(self) -> Any:
        """Return dask-gateway's asynchronous client of that server, which connects when it is used."""
        _must_be_installed()
        from dask_gateway import Gateway

        proxy: int | str | None = self.proxy_address
        if isinstance(proxy, str):
            proxy = int(proxy) if proxy.isdigit() else f"gateway://{proxy.rpartition('//')[2]}"
        return Gateway(
            self.address,
            proxy_address=proxy,
            # Only our own processes follow links.
            public_address=self.address,
            auth=self._auth(),
            asynchronous=True,
        )

    @property
    def kind(self) -> str:
        """Kind of authentication: ``basic``, ``jupyterhub``, ``kerberos`` or the site's own class."""
        return self.auth or str(configured("auth.type") or "basic")

    def _auth(self) -> Any:
        from dask_gateway.auth import BasicAuth, JupyterHubAuth, KerberosAuth, get_auth

        # The configured arguments are for the configured kind.
        given = (configured("auth.kwargs") or {}) if self.kind == (configured("auth.type") or "basic") else {}
        secret = read_secret(self.password_from) if self.password_from is not None else None
        if self.kind == "basic":
            username = self.username if self.username is not None else filled(given.get("username"))
            return BasicAuth(username, secret if secret is not None else filled(given.get("password")))
        if self.kind == "jupyterhub":
            token = secret or filled(given.get("api_token")) or os.environ.get(HUB_TOKEN)
            if not token:
                raise PreflightFailed(
                    f"There is no token for JupyterHub: the variable {HUB_TOKEN} is not set here. Make a token in the "
                    "Hub's menu Token, put it into a file that only you can read, and name that with password_from."
                )
            return JupyterHubAuth(token)
        if self.kind == "kerberos":
            return KerberosAuth()
        try:
            return get_auth()  # The site's own class, with its own arguments.
        except (ImportError, TypeError, ValueError) as error:
            raise PreflightFailed(
                f"Dask's setting gateway.auth cannot be used ({printable(str(error), 120)})."
            ) from error


def _must_be_installed() -> None:
    try:
        import dask_gateway  # noqa: F401
    except ImportError as error:
        raise MissingPackage(f"{NOT_INSTALLED}.") from error


def configured(name: str) -> Any:
    """Return a setting of Dask's configuration below ``gateway``, with environment variables filled in."""
    _must_be_installed()
    import dask

    return filled(dask.config.get(f"gateway.{name}", None))


def filled(value: Any) -> Any:
    """Fill environment variables in, as dask-gateway does."""
    if not isinstance(value, str):
        return value
    try:
        return value.format(**os.environ)
    except (KeyError, ValueError, IndexError) as error:
        raise PreflightFailed(
            f"A setting of Dask's configuration below 'gateway' names the variable {printable(str(error), 60)}, which "
            "is not set here."
        ) from None


def _checked(address: Any) -> str:
    try:
        found = GatewaySpec(address=address).address
    except ValueError:
        found = None
    if found is None:
        raise PreflightFailed(
            "Dask's setting 'gateway.address' holds no address of a Dask Gateway, such as "
            f"'https://hub.example.org/services/dask-gateway', but {printable(str(address), 60)!r}."
        )
    return found


def read_secret(where: str) -> str:
    """Read a password or token from a variable or a file."""
    if not os.path.isabs(where):
        found = os.environ.get(where)
        if not found:
            raise PreflightFailed(f"password_from: the environment variable {where} is not set here, or empty.")
        return found
    try:
        descriptor = os.open(where, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as opened:
            about = os.fstat(opened.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise PreflightFailed(f"password_from: {where} is not a file.")
            if about.st_mode & 0o077 or about.st_uid not in {0, os.getuid()}:
                raise PreflightFailed(
                    f"password_from: other users can read {where}. Run: chmod 600 {where}  (and change the password "
                    "if someone may have read it)."
                )
            text = opened.read(MOST_BYTES).decode("utf-8").strip("\r\n")
    except OSError as error:
        raise PreflightFailed(f"password_from: {Path(where)} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError:
        text = ""
    if not text or not text.isprintable():
        raise PreflightFailed(f"password_from: {where} does not hold one line of text.")
    return text
