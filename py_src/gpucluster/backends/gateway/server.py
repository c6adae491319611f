"""Login and requests to one Dask Gateway server, with a timeout and explained errors.

Secrets leave this module only to the server.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
import stat
from collections.abc import Awaitable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import quote

from ...dask_internals.other_packages import ask, clock, refusals
from ...protocol.errors import GPUClusterError, MissingPackage, OperationFailed, PreflightFailed
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
                    "address: Dask's configuration has no 'gateway.address'. Set it to the address of the Dask Gateway "
                    "server, such as 'https://hub.example.org/services/dask-gateway'."
                )
            address = _checked(found)
        return cls(address, spec.proxy_address, spec.auth, spec.username, spec.password_from)

    def gateway(self) -> Any:
        """Return dask-gateway's asynchronous client of that server, which connects when it is used."""
        _require_installed()
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
                    f"No JupyterHub token: the environment variable {HUB_TOKEN} is not set. Create a token in the "
                    "Hub's Token menu, save it to a file that only you can read, and set password_from to that file."
                )
            return JupyterHubAuth(token)
        if self.kind == "kerberos":
            return KerberosAuth()
        try:
            return get_auth()  # The site's own class, with its own arguments.
        except (ImportError, TypeError, ValueError) as error:
            why = printable(str(error), 120)
            raise PreflightFailed(f"Dask's setting gateway.auth cannot be used ({why}).") from error


def _require_installed() -> None:
    try:
        import dask_gateway  # noqa: F401
    except ImportError as error:
        raise MissingPackage(f"{NOT_INSTALLED}.") from error


def configured(name: str) -> Any:
    """Return a setting of Dask's configuration below ``gateway``, with environment variables filled in."""
    _require_installed()
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
            f"Dask's 'gateway' configuration refers to the environment variable {printable(str(error), 60)}, which is "
            "not set."
        ) from None


def _checked(address: Any) -> str:
    try:
        found = GatewaySpec(address=address).address
    except ValueError:
        found = None
    if found is None:
        raise PreflightFailed(
            "Dask's setting 'gateway.address' must be the address of a Dask Gateway, such as "
            f"'https://hub.example.org/services/dask-gateway', not {printable(str(address), 60)!r}."
        )
    return found


def read_secret(where: str) -> str:
    """Read a password or token from a variable or a file."""
    if not os.path.isabs(where):
        found = os.environ.get(where)
        if not found:
            raise PreflightFailed(f"password_from: the environment variable {where} is not set, or empty.")
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
        raise PreflightFailed(f"password_from: {where} must contain exactly one line of text.")
    return text


ANSWER_SECONDS = 20.0
_CLUSTERS = "/api/v1/clusters/"
ACTIVE = ("PENDING", "RUNNING")
_UNKNOWN = re.compile(r"Cluster \S+ not found")
T = TypeVar("T")


class GatewayAway(OperationFailed):
    """The server does not respond, or not as a Dask Gateway."""

    code = "gateway_away"


class GatewayRefused(OperationFailed):
    """The server refuses a request."""

    code = "gateway_refused"


class LogInRefused(GatewayRefused):
    """The server does not let this user in, or not to that cluster."""

    code = "gateway_log_in_refused"


class ClusterUnknown(GatewayRefused):
    """The server has no cluster of that name."""

    code = "gateway_cluster_unknown"


@dataclass(frozen=True)
class Report:
    """The server's report on a cluster."""

    name: str
    status: str  # PENDING, RUNNING, STOPPING, STOPPED or FAILED.
    started: float  # By the server's clock, in seconds since 1970.
    options: dict[str, Any]
    dashboard_route: str | None
    certificate: str | None
    key: str | None

    @property
    def ended(self) -> bool:
        return self.status not in ACTIVE

    @classmethod
    def read(cls, answer: Any) -> Self:
        return cls(
            name=str(answer["name"]),
            status=str(answer["status"]),
            started=float(answer["start_time"]) / 1000,
            options=dict(answer.get("options") or {}),
            dashboard_route=answer.get("dashboard_route"),
            certificate=answer.get("tls_cert"),
            key=answer.get("tls_key"),
        )


class GatewayServer(AbstractAsyncContextManager["GatewayServer"]):
    """A server, for one user. Must be closed."""

    def __init__(self, login: Login) -> None:
        self.login = login
        self._gateway = login.gateway()

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        with suppress(Exception):
            await self._gateway.close()

    def scheduler_address(self, name: str) -> str:
        return f"{self._gateway.proxy_address}/{name}"

    async def version(self) -> str:
        """Return the server's version, without a login."""
        answer = await self._ask("GET", "/api/version")
        if not isinstance(answer, dict) or "version" not in answer:
            raise GatewayAway(_NO_GATEWAY.format(self.login.address))
        return str(answer["version"])

    async def clock(self) -> float:
        """Return the time by the server's clock, in seconds since 1970."""
        return await self._answer(clock(self._gateway))

    async def options(self) -> list[dict[str, Any]]:
        """Return the options that it offers: rows of field, label, default and spec."""
        return list((await self._ask("GET", "/api/v1/options"))["cluster_options"])

    async def clusters(self) -> list[Report]:
        return [Report.read(one) for one in (await self._ask("GET", _CLUSTERS)).values()]

    async def submit(self, options: dict[str, Any]) -> str:
        return str((await self._ask("POST", _CLUSTERS, {"cluster_options": options}))["name"])

    async def report(self, name: str) -> Report:
        """Return the report on a cluster. Raises `ClusterUnknown`."""
        return Report.read(await self._ask("GET", self._path(name)))

    async def stop(self, name: str) -> None:
        await self._ask("DELETE", self._path(name))

    async def end(self, name: str) -> bool:
        """Shut a cluster down, if there is one; return whether it was running."""
        try:
            if (await self.report(name)).ended:
                return False
            await self.stop(name)
        except ClusterUnknown:
            return False
        return True

    async def scale(self, name: str, n: int) -> str | None:
        """Request `n` workers; return the server's remark if it allows fewer."""
        return _remark(await self._ask("POST", f"{self._path(name)}/scale", {"count": n}))

    async def adapt(self, name: str, minimum: int, maximum: int) -> str | None:
        """Start adaptive scaling; return the server's remark if it lowers the bounds."""
        body = {"minimum": minimum, "maximum": maximum, "active": True}
        return _remark(await self._ask("POST", f"{self._path(name)}/adapt", body))

    async def stop_adapting(self, name: str) -> None:
        await self._ask("POST", f"{self._path(name)}/adapt", {"active": False})

    def _path(self, name: str) -> str:
        return f"{_CLUSTERS}{quote(name, safe='')}"

    async def _ask(self, method: str, path: str, body: Any = None) -> Any:
        return await self._answer(ask(self._gateway, method, path, body))

    async def _answer(self, request: Awaitable[T]) -> T:
        with _explained(self.login):
            async with asyncio.timeout(ANSWER_SECONDS):
                return await request


def _remark(answer: Any) -> str | None:
    """Return the server's remark on a request that it has changed."""
    message = answer.get("msg") if isinstance(answer, dict) else None
    return printable(str(message), 300) if message else None


_NO_GATEWAY = (
    "The server at {} is not a Dask Gateway. Is it the right address, with its path, such as "
    "'https://hub.example.org/services/dask-gateway'?"
)


@contextmanager
def _explained(login: Login) -> Iterator[None]:
    """Convert errors of a request into one of the errors above."""
    from aiohttp import ClientConnectorDNSError, ClientError, ClientResponseError, ClientSSLError, ContentTypeError

    refused, broken = refusals()
    try:
        yield
    except GPUClusterError:
        raise
    except ClientResponseError as error:
        if isinstance(error, ContentTypeError):
            raise GatewayAway(_NO_GATEWAY.format(login.address)) from error
        raise _by_status(login, error.status) from error
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise GatewayAway(_NO_GATEWAY.format(login.address)) from error
    except ValueError as error:  # 404, 422
        message = printable(str(error).strip(), 300)
        if _UNKNOWN.fullmatch(message):
            raise ClusterUnknown(f"Dask Gateway has no such cluster: {message}.") from error
        # A proxy whose server is just starting, or another kind of server, also answers 404.
        if message.lower() in {"", "not found", "404 page not found", "404: not found"} or "<" in message:
            raise GatewayAway(_NO_GATEWAY.format(login.address)) from error
        raise GatewayRefused(f"Dask Gateway rejected the request: {message}.") from error
    except refused as error:
        raise GatewayRefused(f"The request to Dask Gateway failed: {printable(str(error), 300)}.") from error
    except broken as error:
        raise GatewayAway(f"The Dask Gateway at {login.address} reported an internal error; see its log.") from error
    except TimeoutError as error:
        raise GatewayAway(f"The Dask Gateway at {login.address} did not respond in {ANSWER_SECONDS:.0f} s.") from error
    except (ClientSSLError, ssl.SSLError) as error:
        raise GatewayAway(
            f"The server at {login.address} has no certificate that this machine trusts, or does not use TLS."
        ) from error
    except ClientConnectorDNSError as error:
        raise GatewayAway(f"Host '{error.host}' not found.") from error
    except (ClientError, OSError) as error:
        raise GatewayAway(
            f"No server responds at {login.address}. Is that the address of the Dask Gateway, and is it running?"
        ) from error
    except ModuleNotFoundError as error:
        raise LogInRefused(
            f"The server requires a login with {login.kind}, which needs the module '{error.name}'. Install it here."
        ) from error
    except Exception as error:
        if login.kind == "kerberos":  # Its libraries have other errors.
            raise LogInRefused(
                f"Kerberos authentication failed at {login.address}: is your ticket valid (klist)? If not, run kinit."
            ) from error
        raise


def _by_status(login: Login, status: int) -> GPUClusterError:
    if status == 401:
        how = {
            "basic": "Are the user name and password correct? See username and password_from.",
            "jupyterhub": "Is the token valid, and has it not been revoked?",
            "kerberos": "Is your ticket valid (klist)? If not, run kinit.",
        }.get(login.kind, "See gateway.auth in Dask's configuration.")
        return LogInRefused(f"The Dask Gateway at {login.address} rejected your login ({login.kind}). {how}")
    if status == 403:
        return LogInRefused(f"The Dask Gateway at {login.address} denied the request (403).")
    if status in {502, 503, 504}:
        return GatewayAway(f"The Dask Gateway at {login.address} cannot be reached behind its proxy ({status}).")
    return GatewayAway(_NO_GATEWAY.format(login.address))
