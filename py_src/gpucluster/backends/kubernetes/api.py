"""Kubernetes' API, by kr8s: who is asked, in whose name, and its refusals in sentences."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import tempfile
import warnings
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import yaml  # type: ignore[import-untyped]

from ...dask_internals.other_packages.kubernetes_client import close_connections
from ...operating_system.plain_file import NotPlain, read_plain_file
from ...protocol.errors import FieldError, PreflightFailed, StartFailed
from ...protocol.plain_text import printable
from ...protocol.yaml_size import TooManyEntries, must_be_bounded

if TYPE_CHECKING:
    from kr8s.asyncio import Api


PATIENCE_SECONDS = 20.0
DASK = "kubernetes.dask.org/v1"
SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
MERGE = {"content-type": "application/merge-patch+json"}


class KubernetesSilent(StartFailed):
    """Kubernetes does not answer."""


class KubernetesRefused(StartFailed):
    """Kubernetes does not do what it was asked for; the message has no full stop at its end."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    @property
    def absent(self) -> bool:
        """Whether there is no such thing."""
        return self.status == 404


@dataclass(frozen=True)
class Access:
    """Which Kubernetes is meant; small enough to be written down."""

    kubeconfig: str | None  # Path, or paths with ``:`` between them.
    context: str | None
    namespace: str | None

    @classmethod
    def of(cls, kubeconfig: str | None, context: str | None, namespace: str | None) -> Self:
        """Return it with what the environment says of what was left open."""
        return cls(kubeconfig or os.environ.get("KUBECONFIG"), context, namespace or _namespace_of_pod())


def _namespace_of_pod() -> str | None:
    """Return the namespace of the pod that this process is in, unless a kubeconfig says more."""
    try:
        told = (SERVICE_ACCOUNT / "namespace").read_text(encoding="ascii").strip()
    except OSError:
        return None
    given = os.environ.get("KUBECONFIG") or Path("~/.kube/config").expanduser().is_file()
    return None if given else told or None


@asynccontextmanager
async def private_folder() -> AsyncIterator[Path]:
    """Give a folder for what kr8s writes down, as keys that stand in a kubeconfig, and remove it."""
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="gpucluster-") as name:
        tempfile.tempdir = name
        try:
            yield Path(name)
        finally:
            tempfile.tempdir = before


def private_keys_in(folder: Path) -> None:
    """Let kr8s write such things into that folder from now on; for a process that owns one cluster."""
    tempfile.tempdir = str(folder)


class Kubernetes:
    """The API, as far as a cluster needs it. Made by ``connect``."""

    def __init__(self, api: Api, namespace: str) -> None:
        self.api = api
        self.namespace = namespace

    @property
    def server(self) -> str:
        return printable(str(self.api.auth.server), 200)

    @classmethod
    async def connect(cls, access: Access) -> Kubernetes:
        """Log in, and ask for the version."""
        import kr8s.asyncio

        where = access.kubeconfig or "~/.kube/config"
        if fault := await asyncio.to_thread(kubeconfig_fault, access.kubeconfig):
            raise PreflightFailed(fault)
        try:
            async with _sentences(where):
                with warnings.catch_warnings():
                    # Which versions kr8s was tried with; nobody can do anything about it here.
                    warnings.simplefilter("ignore", UserWarning)
                    api = await kr8s.asyncio.api(
                        kubeconfig=access.kubeconfig, context=access.context, namespace=access.namespace
                    )
        except StartFailed:
            raise
        except Exception as error:  # Whatever kr8s stumbles over in a kubeconfig.
            raise PreflightFailed(_no_login(where, access.context, error)) from error
        api.timeout = PATIENCE_SECONDS
        if access.namespace is None and access.context is not None:
            # kr8s takes that of the current context, which may be another.
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
        """Ask for one thing, such as ``pods`` or ``pods/NAME``. Raises `KubernetesSilent`, `KubernetesRefused`."""
        if body is not None:
            options["content"] = json.dumps(body)
        async with (
            _sentences(self.server),
            self.api.call_api(
                method, version=version, namespace=self.namespace if namespaced else None, url=path, **options
            ) as answer,
        ):
            found: dict[str, Any] = answer.json()
            return found

    async def items(self, path: str, *, version: str = "v1", **parameters: str) -> list[dict[str, Any]]:
        """Return all things of a kind in the namespace."""
        found = await self.ask("GET", path, version=version, params=parameters)
        items: list[dict[str, Any]] = found.get("items") or []
        return items

    async def delete(self, path: str, *, version: str = "v1") -> None:
        """Delete one thing, and what belongs to it; nothing happens where it is gone."""
        try:
            await self.ask("DELETE", path, version=version, body={"propagationPolicy": "Background"})
        except KubernetesRefused as error:
            if not error.absent:
                raise


def _no_login(where: str, context: str | None, error: Exception) -> str:
    if context is not None and "context" in str(error).lower():
        return (
            f"context: the kubeconfig ({where}) has no context '{context}'. 'kubectl config get-contexts' lists them."
        )
    if "valid credentials" in str(error):
        return (
            f"There is no kubeconfig at {where}, and this is not a Kubernetes pod. Get one from your site and name it "
            "with 'kubeconfig', or set KUBECONFIG."
        )
    told = printable(" ".join(str(error).split()) or type(error).__name__, 200).rstrip(".")
    return f"The kubeconfig ({where}) cannot be used: {told}."


@asynccontextmanager
async def _sentences(where: str) -> AsyncIterator[None]:
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
            with suppress(RuntimeError):  # It need not know.
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
        # Of kr8s where a kubeconfig is not as it expects, or a program that it names for the log-in fails.
        raise KubernetesSilent(
            f"The log-in to Kubernetes ({where}) failed ({type(error).__name__}: {printable(str(error), 200)})."
        ) from error


def _refusal(status: int, told: str) -> str:
    if status == 401:
        return "Kubernetes does not know who you are: the log-in in the kubeconfig has expired; log in again"
    if "exceeded quota" in told:
        return f"The namespace's quota is used up: {quota_of(told)}"
    if status == 403:
        return f"Kubernetes denied the request: {told}"
    return told


def quota_of(told: str) -> str:
    """Return what a refusal says of a quota, in fewer words: ``requested: pods=1, used: pods=4, limited: pods=4``."""
    return told.partition("exceeded quota: ")[2] or told


MOST_BYTES = 2**22
_DEFAULT = "~/.kube/config"
_PARTS = ("clusters", "contexts", "users")
_WHAT_TO_DO = "Get one from your site, or name another with 'kubeconfig'."


def kubeconfig_fault(paths: str | None) -> str | None:
    """Return what is wrong with the files that there are, in a sentence with what to do; ``None``: nothing.

    `paths`: as ``KUBECONFIG`` has them, with ``:`` between them; default: ``~/.kube/config``. One that is not there is
    no fault: others may be, or a pod's service account.
    """
    for path in (paths or _DEFAULT).split(os.pathsep):
        file = Path(path).expanduser()
        if not path or not file.exists():
            continue
        told = printable(str(file), 300)
        try:
            text = read_plain_file(file, MOST_BYTES).decode()
            must_be_bounded(yaml.compose(text, Loader=yaml.SafeLoader))
            data = yaml.safe_load(text)
        except NotPlain as error:
            return f"The kubeconfig {told} {error}. {_WHAT_TO_DO}"
        except OSError as error:
            return f"The kubeconfig {told} cannot be read ({error.strerror}). {_WHAT_TO_DO}"
        except TooManyEntries as error:
            return f"The kubeconfig {told} cannot be used: {error}. {_WHAT_TO_DO}"
        except (ValueError, RecursionError, yaml.YAMLError):
            return f"The kubeconfig {told} is not YAML. {_WHAT_TO_DO}"
        if data is None:
            return f"The kubeconfig {told} is empty. {_WHAT_TO_DO}"
        if fault := _form_fault(data):
            return f"The file {told} is no kubeconfig: {fault}. {_WHAT_TO_DO}"
    return None


def faults_of_kubeconfig(path: str | None, context: str | None) -> list[FieldError]:
    """Return what is wrong with a kubeconfig and a context that a request names."""
    if path is not None and not Path(path).expanduser().exists():
        return [FieldError(field="kubeconfig", message=f"there is no file {printable(path, 300)}")]
    paths = path or os.environ.get("KUBECONFIG") or _DEFAULT
    fault = kubeconfig_fault(paths)
    if fault is not None:
        return [FieldError(field="kubeconfig", message=fault.rstrip("."))]
    files = [file for one in paths.split(os.pathsep) if one and (file := Path(one).expanduser()).exists()]
    known = [
        str(one.get("name"))
        for file in files
        for one in (yaml.safe_load(file.read_text()).get("contexts") or [])
        if isinstance(one, dict)
    ]
    if context is None or not files or context in known:
        return []
    listed = f"; there are {printable(', '.join(known[:5]), 200)}" if known else ""
    return [FieldError(field="context", message=f"the kubeconfig has no context '{context}'{listed}")]


def _form_fault(data: Any) -> str | None:
    if not isinstance(data, dict):
        return "it has no keys"
    for part in _PARTS:
        entries = data.get(part)
        if entries is not None and not (
            isinstance(entries, list) and all(isinstance(one, dict) and "name" in one for one in entries)
        ):
            return f"'{part}' in it must be a list of entries with a name"
    return None if any(data.get(part) for part in _PARTS) else f"it has none of {', '.join(_PARTS)}"
