"""The kind ``gateway``. Neither Dask nor dask-gateway is imported until a server is used."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar
from urllib.parse import urlsplit

from ...protocol.errors import FieldError, GPUClusterError, PreflightFailed
from ...protocol.models import Network, Submission
from ...protocol.spec_base import MAX_WORKERS, SpecBase
from ...protocol.traits import Needs, Traits
from ..backend import Backend, Plan, ReapContext, Remembered, StartContext
from ..deployment import Deployment
from ..workers import host_fault
from .server import GatewayServer, Login, configured, filled
from .spec import GatewaySpec, Option, checked, read_options

DEFAULT_WORKERS = 1
START_SECONDS = 900.0  # A site may first have to start a machine for the scheduler.
_THIS_MACHINE = {"localhost", "127.0.0.1", "::1"}


class GatewayBackend(Backend[GatewaySpec]):
    """Clusters of a Dask Gateway server."""

    name: ClassVar[str] = "gateway"
    title: ClassVar[str] = "Gateway"
    where: ClassVar[str] = "Dask Gateway"
    needs: ClassVar[Needs] = Needs(packages=("dask_gateway",), extra="gateway")
    offers: ClassVar[bool] = True
    spec: ClassVar[type[SpecBase]] = GatewaySpec
    traits: ClassVar[Traits] = Traits(this_machine=False, queues=True, default_workers=DEFAULT_WORKERS)

    @classmethod
    def faults(cls, spec: GatewaySpec) -> list[FieldError]:
        parts = urlsplit(spec.address or "")
        port = parts.port or (443 if parts.scheme == "https" else 80)
        fault = host_fault(parts.hostname, port) if parts.hostname else None
        return [FieldError(field="address", message=fault)] if fault is not None else []

    async def preflight(self, spec: GatewaySpec, context: StartContext) -> Plan:
        login = Login.of(spec)
        context.report("preflight", f"Querying the Dask Gateway at {login.address}")
        async with GatewayServer(login) as server:
            options = await _look(server, spec)
        remarks = []
        place = urlsplit(login.address)
        if place.scheme == "http" and login.kind != "kerberos" and place.hostname not in _THIS_MACHINE:
            remarks.append(
                f"The address {login.address} is not encrypted: anyone on the network path can read your credentials."
            )
        if spec.cluster_name is not None:
            what = "also shuts it down there" if spec.ends_with_us else "only disconnects"
            remarks.append(f"This cluster, {spec.cluster_name}, already existed: Stop {what}.")
        elif not spec.ends_with_us:
            remarks.append("Stop only disconnects; the cluster keeps running on the Dask Gateway.")
        return Plan(
            n_workers=DEFAULT_WORKERS if spec.n_workers is None else spec.n_workers,
            maximum_workers=MAX_WORKERS,
            maximum_reason="the most per cluster; the site may allow fewer",
            network=Network.TLS,
            options={"spec": spec, "login": login, "options": options},
            threads_per_worker=spec.threads_per_worker,
            ready_workers=0,
            start_timeout=START_SECONDS,
            remarks=tuple(remarks),
            leaves_number=spec.cluster_name is not None and spec.n_workers is None,
        )

    async def preview(self, spec: GatewaySpec) -> Submission:
        """Return the options that the server offers, and the request."""
        async with GatewayServer(Login.of(spec)) as server:
            with as_preflight():
                version = await server.version()
                offered = read_options(await server.options())
            notes = [f"Dask Gateway {version} at {server.login.address}."]
            if spec.cluster_name is not None:
                await _look(server, spec)
                notes.append(f"The cluster {spec.cluster_name} exists; gpucluster would connect to it.")
                return Submission(notes=notes)
            notes += [f"It offers {option.described()}." for option in offered] or ["It offers no options."]
            request = json.dumps(_checked(offered, spec), indent=2, ensure_ascii=False)
        schemas = {option.name: option.schema() for option in offered}
        return Submission(text=request, notes=notes, offered=schemas)

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        from .deployment import start

        return await start(plan, context)

    async def reap(self, remembered: Remembered, context: ReapContext) -> None:
        """Shut down the remembered cluster, even if its name was not known yet."""
        from .deployment import end_remembered

        await end_remembered(remembered, context)

    def left_behind(self, remembered: Remembered) -> str:
        address, name = remembered["login"]["address"], remembered["name"]
        if name is None:
            return f"It is a cluster that was just requested from the Dask Gateway {address}."
        return (
            f"It is the cluster {name} of the Dask Gateway {address}. By hand: from dask_gateway import Gateway; "
            f"Gateway('{address}').stop_cluster('{name}')."
        )


@contextmanager
def as_preflight() -> Iterator[None]:
    """Raise errors of a server as `PreflightFailed`: nothing was started."""
    try:
        yield
    except PreflightFailed:
        raise
    except GPUClusterError as error:
        raise PreflightFailed(error.message) from error


async def _look(server: GatewayServer, spec: GatewaySpec) -> dict[str, Any]:
    """Check the spec; return the options with their values."""
    with as_preflight():
        await server.version()
        if spec.cluster_name is None:
            return _checked(read_options(await server.options()), spec)
        report = await server.report(spec.cluster_name)
        if not report.ended:
            return report.options
        others = [other.name for other in await server.clusters()]
    listed = f"Available: {', '.join(others)}" if others else "You have no running cluster"
    raise PreflightFailed(f"cluster_name: the cluster {spec.cluster_name} is {report.status.lower()}. {listed}.")


def _checked(offered: list[Option], spec: GatewaySpec) -> dict[str, Any]:
    usual = configured("cluster.options") or {}
    return checked(offered, spec.gateway_options, {name: filled(value) for name, value in usual.items()})
