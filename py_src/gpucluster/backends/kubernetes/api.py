"""Kubernetes' API through kr8s: the server, the login, its error messages explained, and the route to a scheduler."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import ssl
import tempfile
import warnings
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import yaml  # type: ignore[import-untyped]

from ...dask_internals.other_packages import close_connections
from ...operating_system.files import NotPlain, read_plain_file
from ...protocol.errors import FieldError, PreflightFailed, StartFailed
from ...protocol.plain_text import printable
from ...protocol.yaml_size import TooManyEntries, require_bounded
from .manifest import resource_name
from .spec import KubernetesSpec

if TYPE_CHECKING:
    from kr8s.asyncio import Api


PATIENCE_SECONDS = 20.0
DASK = "kubernetes.dask.org/v1"
SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
MERGE = {"content-type": "application/merge-patch+json"}


class KubernetesSilent(StartFailed):
    """Kubernetes does not respond."""


class KubernetesRefused(StartFailed):
    """Kubernetes refuses a request; the message has no full stop at its end."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    @property
    def absent(self) -> bool:
        """Whether the object does not exist."""
        return self.status == 404


@dataclass(frozen=True)
class Access:
    """How to find the Kubernetes server; it can be written to the record."""

    kubeconfig: str | None  # Path, or paths with ``:`` between them.
    context: str | None
    namespace: str | None

    @classmethod
    def of(cls, spec: KubernetesSpec) -> Self:
        """Complete the values of a spec with those of the environment."""
        kubeconfig = spec.kubeconfig or os.environ.get("KUBECONFIG")
        return cls(kubeconfig, spec.context, spec.namespace or _namespace_of_pod())


def _namespace_of_pod() -> str | None:
    """Return the namespace of the pod that this process is in, unless there is a kubeconfig."""
    try:
        namespace = (SERVICE_ACCOUNT / "namespace").read_text(encoding="ascii").strip()
    except OSError:
        return None
    given = os.environ.get("KUBECONFIG") or Path("~/.kube/config").expanduser().is_file()
    return None if given else namespace or None


@asynccontextmanager
async def private_folder() -> AsyncIterator[Path]:
    """Provide a temporary folder for files that kr8s writes, such as keys of a kubeconfig."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="gpucluster-") as name:
        tempfile.tempdir = name
        try:
            yield Path(name)
        finally:
            tempfile.tempdir = before


def private_keys_in(folder: Path) -> None:
    """Let kr8s write such files into that folder from now on; for a process that owns one cluster."""
    tempfile.tempdir = str(folder)


class Kubernetes:
    """The part of the API that a cluster needs. Made by ``connect``."""

    def __init__(self, api: Api, namespace: str) -> None:
        self.api = api
        self.namespace = namespace

    @property
    def server(self) -> str:
        return printable(str(self.api.auth.server), 200)

    @classmethod
    async def connect(cls, access: Access) -> Kubernetes:
        """Log in, and request the version."""
        import kr8s.asyncio

        where = access.kubeconfig or "~/.kube/config"
        if fault := await asyncio.to_thread(kubeconfig_fault, access.kubeconfig):
            raise PreflightFailed(fault)
        try:
            async with _explained(where):
                with warnings.catch_warnings():
                    # About the versions that kr8s was tested with.
                    warnings.simplefilter("ignore", UserWarning)
                    api = await kr8s.asyncio.api(**asdict(access))
        except StartFailed:
            raise
        except Exception as error:  # kr8s raises errors of any kind for a broken kubeconfig.
            raise PreflightFailed(_no_login(where, access.context, error)) from error
        api.timeout = PATIENCE_SECONDS
        if access.namespace is None and access.context is not None:
            # kr8s uses that of the current context, which may be another.
            api.namespace = api.auth.kubeconfig.get_context(access.context).get("namespace", "default")
        return cls(api, api.namespace)

    async def close(self) -> None:
        await close_connections(self.api)

    async def ask(
        self,
        method: str,
        path: str,
        *,
        version: str = "v1",
        body: Mapping[str, Any] | None = None,
        namespaced: bool = True,
        **options: Any,
    ) -> dict[str, Any]:
        """Send a request for, say, ``pods`` or ``pods/NAME``. Raises `KubernetesSilent`, `KubernetesRefused`."""
        if body is not None:
            options["content"] = json.dumps(body)
        async with (
            _explained(self.server),
            self.api.call_api(
                method, version=version, namespace=self.namespace if namespaced else None, url=path, **options
            ) as answer,
        ):
            found: dict[str, Any] = answer.json()
            return found

    async def items(self, path: str, *, version: str = "v1", **parameters: str) -> list[dict[str, Any]]:
        """Return all objects of a kind in the namespace."""
        found = await self.ask("GET", path, version=version, params=parameters)
        items: list[dict[str, Any]] = found.get("items") or []
        return items

    async def delete(self, path: str, *, version: str = "v1") -> None:
        """Delete one object and its dependents, unless it is gone."""
        try:
            await self.ask("DELETE", path, version=version, body={"propagationPolicy": "Background"})
        except KubernetesRefused as error:
            if not error.absent:
                raise


def _no_login(where: str, context: str | None, error: Exception) -> str:
    if context is not None and "context" in str(error).lower():
        return f"context: the kubeconfig ({where}) has no context '{context}'. See 'kubectl config get-contexts'."
    if "valid credentials" in str(error):
        return (
            f"There is no kubeconfig at {where}, and this is not a Kubernetes pod. Get one from your site and set "
            "'kubeconfig' or KUBECONFIG to its path."
        )
    why = printable(" ".join(str(error).split()) or type(error).__name__, 200).rstrip(".")
    return f"The kubeconfig ({where}) cannot be used: {why}."


@asynccontextmanager
async def _explained(where: str) -> AsyncIterator[None]:
    import httpx
    import kr8s

    try:
        yield
    except kr8s.ServerError as error:
        status = error.response.status_code if error.response is not None else 0
        if status >= 500 or status == 429:
            raise KubernetesSilent(
                f"Kubernetes reports an internal error ({printable(str(error), 120)}). Try again later."
            ) from error
        raise KubernetesRefused(_refusal(status, printable(str(error), 400).rstrip(".")), status) from error
    except kr8s.APITimeoutError as error:
        raise KubernetesSilent(f"Kubernetes ({where}) does not respond. Are you on the right network?") from error
    except (httpx.TransportError, ssl.SSLError) as error:
        if isinstance(error, httpx.TransportError):
            with suppress(RuntimeError):  # The error may have no request.
                where = printable(str(error.request.url.copy_with(path="/", query=None)).rstrip("/"), 200)
        if "CERTIFICATE" in str(error).upper():
            raise KubernetesSilent(
                f"Kubernetes ({where}) has a certificate that the kubeconfig's authority did not sign."
            ) from error
        raise KubernetesSilent(
            f"Kubernetes ({where}) cannot be reached ({printable(str(error), 120) or type(error).__name__}). Is the "
            "address right, and is this network the right one?"
        ) from error
    except (KeyError, OSError, RuntimeError, TypeError, AttributeError) as error:
        # From kr8s if a kubeconfig is not as it expects, or a program that it names for the login fails.
        raise KubernetesSilent(
            f"The login to Kubernetes ({where}) failed ({type(error).__name__}: {printable(str(error), 200)})."
        ) from error


def _refusal(status: int, message: str) -> str:
    if status == 401:
        return "Kubernetes does not know who you are: the login in the kubeconfig has expired; log in again"
    if "exceeded quota" in message:
        return f"The namespace's quota is used up: {quota_of(message)}"
    if status == 403:
        return f"Kubernetes denied the request: {message}"
    return message


def quota_of(message: str) -> str:
    """Return the part of a refusal about the quota: ``requested: pods=1, used: pods=4, limited: pods=4``."""
    return message.partition("exceeded quota: ")[2] or message


MOST_BYTES = 2**22
_DEFAULT = "~/.kube/config"
_PARTS = ("clusters", "contexts", "users")
_WHAT_TO_DO = "Get one from your site, or set 'kubeconfig' to another."


def kubeconfig_fault(paths: str | None) -> str | None:
    """Return what is wrong with a kubeconfig and what to do; ``None``: nothing.

    `paths`: as in ``KUBECONFIG``, separated by ``:``; default: ``~/.kube/config``. A missing file is not an error:
    there may be others, or a pod's service account.
    """
    for path in (paths or _DEFAULT).split(os.pathsep):
        file = Path(path).expanduser()
        if not path or not file.exists():
            continue
        shown = printable(str(file), 300)
        try:
            text = read_plain_file(file, MOST_BYTES).decode()
            require_bounded(yaml.compose(text, Loader=yaml.SafeLoader))
            data = yaml.safe_load(text)
        except NotPlain as error:
            return f"The kubeconfig {shown} {error}. {_WHAT_TO_DO}"
        except OSError as error:
            return f"The kubeconfig {shown} cannot be read ({error.strerror}). {_WHAT_TO_DO}"
        except TooManyEntries as error:
            return f"The kubeconfig {shown} cannot be used: {error}. {_WHAT_TO_DO}"
        except (ValueError, RecursionError, yaml.YAMLError):
            return f"The kubeconfig {shown} is not YAML. {_WHAT_TO_DO}"
        if data is None:
            return f"The kubeconfig {shown} is empty. {_WHAT_TO_DO}"
        if fault := _form_fault(data):
            return f"The file {shown} is not a kubeconfig: {fault}. {_WHAT_TO_DO}"
    return None


def faults_of_kubeconfig(path: str | None, context: str | None) -> list[FieldError]:
    """Return what is wrong with a kubeconfig and a context that a request names."""
    if path is not None and not Path(path).expanduser().exists():
        return [FieldError(field="kubeconfig", message=f"{printable(path, 300)} does not exist")]
    paths = path or os.environ.get("KUBECONFIG") or _DEFAULT
    fault = kubeconfig_fault(paths)
    if fault is not None:
        return [FieldError(field="kubeconfig", message=fault.rstrip("."))]
    files = [file for one in paths.split(os.pathsep) if one and (file := Path(one).expanduser()).exists()]
    contexts = [one for file in files for one in yaml.safe_load(file.read_text()).get("contexts") or []]
    known = [str(one.get("name")) for one in contexts if isinstance(one, dict)]
    if context is None or not files or context in known:
        return []
    listed = f"; available: {printable(', '.join(known[:5]), 200)}" if known else ""
    return [FieldError(field="context", message=f"the kubeconfig has no context '{context}'{listed}")]


def _form_fault(data: Any) -> str | None:
    if not isinstance(data, dict):
        return "it has no keys"
    for part in _PARTS:
        entries = data.get(part)
        if entries is not None and not (
            isinstance(entries, list) and all(isinstance(one, dict) and "name" in one for one in entries)
        ):
            return f"'{part}' must be a list of entries with a name"
    return None if any(data.get(part) for part in _PARTS) else f"it has none of {', '.join(_PARTS)}"


SCHEDULER_PORT = 8786
DASHBOARD_PORT = 8787
CLOSE_SECONDS = 1.0


def is_inside() -> bool:
    """Whether this process is in a pod that reaches services by their names."""
    if not SERVICE_ACCOUNT.is_dir():
        return False
    with suppress(OSError):
        return bool(socket.getaddrinfo("kubernetes.default.svc", 443))
    return False


class Route:
    """The route to the scheduler of a cluster: its service, or Kubernetes' own port-forward."""

    def __init__(self, kubernetes: Kubernetes, cluster_id: str, *, inside: bool) -> None:
        self._kubernetes = kubernetes
        self._service = f"{resource_name(cluster_id)}-scheduler"
        self._inside = inside
        self._open = AsyncExitStack()

    async def open(self) -> tuple[tuple[str, int], tuple[str, int]]:
        """Open the route; return host and port of the scheduler, and of its web pages."""
        if self._inside:
            host = f"{self._service}.{self._kubernetes.namespace}.svc"
            return (host, SCHEDULER_PORT), (host, DASHBOARD_PORT)
        from kr8s.asyncio.objects import Service

        found = await self._kubernetes.ask("GET", f"services/{self._service}")
        service: Any = await Service(found, api=self._kubernetes.api)
        # On loopback only, and to the pod that is behind the service at the time of a connection.
        enter = self._open.enter_async_context
        ports = [await enter(service.portforward(port, local_port="auto")) for port in (SCHEDULER_PORT, DASHBOARD_PORT)]
        return ("127.0.0.1", ports[0]), ("127.0.0.1", ports[1])

    async def close(self) -> None:
        with suppress(Exception):
            await asyncio.wait_for(self._open.aclose(), CLOSE_SECONDS)
