"""The kind ``ssh``. Nothing of Dask is imported until a cluster is started."""

from __future__ import annotations

import ipaddress
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...protocol.errors import FieldError, PreflightFailed, StartFailed
from ...protocol.models import Network
from ...protocol.plain_text import counted
from ...protocol.spec_base import MAX_WORKERS, SpecBase
from ...protocol.traits import Needs, Traits
from ..backend import Backend, Plan, ReapContext, Remembered, StartContext
from ..deployment import Deployment
from ..workers import host_fault, scheduler_address
from .hosts import load_asyncssh, named_hosts
from .spec import SSHSpec

if TYPE_CHECKING:
    from .pool import Pool

MOST_LOOKED_UP = 16  # Hosts whose names are looked up before a start; more are left to it.


class SSHBackend(Backend[SSHSpec]):
    """Workers on hosts that are reached by SSH."""

    name: ClassVar[str] = "ssh"
    title: ClassVar[str] = "SSH"
    where: ClassVar[str] = "SSH hosts"
    needs: ClassVar[Needs] = Needs(packages=("asyncssh",), extra="ssh")
    spec: ClassVar[type[SpecBase]] = SSHSpec
    traits: ClassVar[Traits] = Traits(this_machine=False)
    _pool: Pool | None = None

    @classmethod
    def faults(cls, spec: SSHSpec) -> list[FieldError]:
        """Check the files, and the hosts unless an SSH configuration gives them other names."""
        config = Path(spec.ssh_config or "~/.ssh/config").expanduser()
        if spec.ssh_config is not None and not config.is_file():
            return [FieldError(field="ssh_config", message=f"{config} does not exist")]
        field = "hosts" if spec.hostfile is None else "hostfile"
        try:
            hosts = list(dict.fromkeys(one.host for one in named_hosts(spec)))
        except PreflightFailed as error:
            return [FieldError(field=field, message=error.message.removeprefix(f"{field}: ").rstrip("."))]
        if config.is_file() or len(hosts) > MOST_LOOKED_UP:
            return []
        with ThreadPoolExecutor(MOST_LOOKED_UP) as looking:
            found = [fault for fault in looking.map(host_fault, hosts) if fault is not None]
        return [FieldError(field=field, message="; ".join(found))] if found else []

    async def preflight(self, spec: SSHSpec, context: StartContext) -> Plan:
        """Look at all hosts at once, with the agents that start the workers later."""
        from .pool import Pool, scratch_name

        load_asyncssh()
        named = named_hosts(spec)
        host = None if spec.interface is None else scheduler_address(spec.interface)
        context.report("preflight", f"Checking {counted(len(named), 'host')}")
        context.remember(
            {
                "hosts": [asdict(each) for each in named],
                "ssh_config": spec.ssh_config,
                "python": spec.remote_python or sys.executable,
                "scratch": scratch_name(context.cluster_id),
                "local_directory": spec.local_directory,
            }
        )
        pool = Pool(spec, context)
        try:
            await pool.open()
            most = min(MAX_WORKERS, pool.most_workers)
            n_workers = min(MAX_WORKERS, pool.usual_workers) if spec.n_workers is None else spec.n_workers
            each = "one worker per GPU" if pool.has_gpus else "one worker per core"
            reason = f"the hosts have room for {most}, {each}"
            if n_workers > most:
                raise PreflightFailed(f"n_workers: must be at most {most}, not {n_workers}: {reason}.")
        except BaseException:
            await pool.close()
            context.remember({})
            raise
        self._pool = pool
        peers = [each.peer for each in pool.hosts if each.peer is not None and _is_address(each.peer)]
        return Plan(
            n_workers=n_workers,
            maximum_workers=most,
            maximum_reason=reason,
            network=Network.of(spec.protocol),
            options={"host": host or scheduler_address(None, peers), "protocol": spec.protocol},
            threads_per_worker=spec.threads_per_worker,
            has_gpus=pool.has_gpus,
            remarks=_remarks(pool),
        )

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        from .deployment import SSHDeployment

        if self._pool is None:
            raise StartFailed("The hosts were not checked before the start.")
        return await SSHDeployment.start_on(self._pool, plan, context)

    async def reap(self, remembered: Remembered, context: ReapContext) -> None:
        from .host import reap

        if self._pool is not None:
            await self._pool.close()
        await reap(remembered, context)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _remarks(pool: Pool) -> tuple[str, ...]:
    bare = [host.name for host in pool.hosts if host.facts.get("gpucluster") is None]
    if not bare:
        return ()
    return (
        f"gpucluster is not installed on {', '.join(bare[:3])}{' and others' if len(bare) > 3 else ''}: gauges show "
        f"only what Dask measures there{', but little about the GPUs' if pool.has_gpus else ''}, and gpucluster.learn "
        "needs it on every host.",
    )
