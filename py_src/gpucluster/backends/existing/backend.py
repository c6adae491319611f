"""The kind ``existing``. Dask is not imported until a scheduler is looked for."""

from __future__ import annotations

from typing import ClassVar

from ...protocol.errors import FieldError, PreflightFailed, StartFailed
from ...protocol.models import Network
from ...protocol.spec_base import SpecBase
from ...protocol.traits import Traits
from ..backend import Backend, Plan, StartContext
from ..deployment import Deployment, cause_of
from ..workers import host_fault
from .spec import ExistingSpec, find_address, find_credentials, keep_credentials

CONNECT_SECONDS = 20.0


class ExistingBackend(Backend[ExistingSpec]):
    """A scheduler that is there already."""

    name: ClassVar[str] = "existing"
    title: ClassVar[str] = "Existing"
    where: ClassVar[str] = "Existing scheduler"
    spec: ClassVar[type[SpecBase]] = ExistingSpec
    traits: ClassVar[Traits] = Traits(this_machine=False, default_workers=0)

    @classmethod
    def faults(cls, spec: ExistingSpec) -> list[FieldError]:
        """Check the scheduler's file, or that something listens at its address."""
        field = "address" if spec.scheduler_file is None else "scheduler_file"
        try:
            # A setting of Dask's configuration is read when the cluster starts: not here, without Dask.
            address = find_address(spec) if spec.scheduler_file or "://" in (spec.address or "") else ""
        except PreflightFailed as error:
            return [FieldError(field=field, message=error.message.removeprefix(f"{field}: ").rstrip("."))]
        host, _, port = address.partition("://")[2].rpartition(":")
        fault = host_fault(host.strip("[]"), int(port)) if host else None
        return [FieldError(field=field, message=fault)] if fault is not None else []

    async def preflight(self, spec: ExistingSpec, context: StartContext) -> Plan:
        from .deployment import find_pages, greet, require_scheduler

        address = find_address(spec)
        context.report("preflight", f"Looking for the scheduler at {address}")
        await require_scheduler(address)
        security = find_credentials(spec, address)
        greeting = await greet(address, security)
        pages = await find_pages(address, greeting.dashboard_port)
        remarks = [
            f"This scheduler, at {address}, was started outside gpucluster, which can only monitor it and connect to "
            "it. Its workers cannot be scaled or restarted from here, and Stop only disconnects."
        ]
        if greeting.dashboard_port is None or pages is None:
            remarks.append("Its dashboard cannot be reached from this machine.")
        if greeting.warning is not None:
            remarks.append(greeting.warning)
        return Plan(
            n_workers=0,
            maximum_workers=0,
            maximum_reason="this scheduler and its workers were started outside gpucluster",
            network=Network.OPEN if security is None else Network.TLS,
            options={"address": address, "security": security, "pages": pages, "measure": spec.measure},
            threads_per_worker=spec.threads_per_worker,
            ready_workers=0,
            remarks=tuple(remarks),
        )

    async def start(self, plan: Plan, context: StartContext) -> Deployment:
        from .deployment import ExistingDeployment, WatchedScheduler

        options = plan.options
        context.report("scheduler", "Connecting to the scheduler")
        try:
            scheduler = await WatchedScheduler.connect(options["address"], options["security"], timeout=CONNECT_SECONDS)
        except Exception as error:
            why = f"cannot be inspected ({cause_of(error)})"
            if "pickle" in str(error).lower():
                why = (
                    "does not accept code from clients (distributed.scheduler.pickle is off), which gpucluster needs "
                    "for monitoring"
                )
            raise StartFailed(f"The scheduler at {options['address']} {why}.") from error
        scheduler.measure = options["measure"]
        if options["pages"] is not None:
            scheduler.dashboard, scheduler.dashboard_prefix = options["pages"]
        if options["security"] is not None and context.credentials_directory is not None:
            keep_credentials(options["security"], context.credentials_directory)
        return ExistingDeployment(scheduler)
