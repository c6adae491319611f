"""Start a cluster with the workers that it needs, or leave nothing behind and report why.

Before, it gets a scratch directory, credentials, and the secret path of its dashboard.
"""

from __future__ import annotations

import asyncio
import datetime
import errno
import logging
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..backends.backend import Backend, Plan, StartContext
from ..backends.deployment import Deployment, SlotState, could_not_start
from ..backends.workers import credentials
from ..comm.folder import make_comm_folder, secret_of
from ..protocol.errors import PreflightFailed, StartFailed, StartTimedOut
from ..protocol.plain_text import redact
from ..protocol.refusals import path_refusal, storage_refusal
from ..registry.directory import others_cannot_replace, write_private
from ..registry.record import Folder
from ..registry.started_elsewhere import remember
from ..sharing.claims import DeviceClaims, NodeClaims
from ..site.reading import gpu_policy

if TYPE_CHECKING:
    from distributed.security import Security

    from ..protocol.spec import SpecBase
    from .requests import ClusterParts


logger = logging.getLogger("gpucluster.supervisor")

CLOSE_SECONDS = 10.0


async def start_deployment(backend: Backend[Any], plan: Plan, context: StartContext) -> Deployment:
    """Start a cluster, and wait for the first workers. Raises `StartFailed`, `StartTimedOut`: all is closed again."""
    try:
        # Not wait_for, which can miss a stop that comes at the last moment.
        async with asyncio.timeout(plan.start_timeout):
            deployment = await backend.start(plan, context)
    except TimeoutError:
        raise StartTimedOut(
            f"Scheduler and workers did not start within {plan.start_timeout:.0f} seconds. See the log."
        ) from None
    try:
        context.report("workers", "Waiting for workers")
        await _wait_for_workers(deployment, plan)
    except BaseException:
        await asyncio.shield(close_deployment(deployment))
        raise
    return deployment


async def _wait_for_workers(deployment: Deployment, plan: Plan) -> None:
    loop = asyncio.get_running_loop()
    deadline = loop.time() + plan.start_timeout
    ready = plan.n_workers if plan.ready_workers is None else plan.ready_workers
    while len((members := deployment.scheduler.members()).workers) < ready:
        if members.ended is not None:
            raise StartFailed(members.ended)
        failed = [slot for slot in deployment.slots() if slot.state is SlotState.FAILED]
        if failed:
            raise StartFailed(could_not_start(len(failed), plan.n_workers, failed[0].why or "see the log"))
        if loop.time() > deadline:
            raise StartTimedOut(
                f"{len(members.workers)} of {plan.n_workers} workers arrived within {plan.start_timeout:.0f} s. "
                "See the log."
            )
        await asyncio.sleep(0.02)


async def close_deployment(deployment: Deployment) -> bool:
    """Close a cluster in bounded time, whatever happens; returns whether nothing is left."""
    try:
        await asyncio.wait_for(deployment.close(), CLOSE_SECONDS)
    except Exception as error:
        logger.warning("The cluster did not shut down cleanly (%s: %s)", type(error).__name__, error)
        with suppress(Exception):
            await asyncio.wait_for(deployment.scheduler.close(), 1.0)
        return False
    return True


PREFIX_BYTES = 24  # Of the dashboard's secret path.


def make_scratch(folder: Folder, local_directory: str | None) -> Path:
    """Make the folder for spilled data, for this user only. Raises `PreflightFailed`: others may replace its files."""
    scratch = folder.scratch
    if local_directory is not None and (refusal := path_refusal(local_directory)) is not None:
        raise PreflightFailed(f"local_directory: {refusal}")  # The requesting process may have another encoding.
    try:
        if local_directory is not None:
            top = Path(local_directory).resolve()
            _make_directory(top)
            scratch = folder.scratch_in(str(top))
        scratch.mkdir(mode=0o700)
    except FileExistsError:
        raise PreflightFailed(f"local_directory: {scratch} already exists. Choose another directory.") from None
    except OSError as error:
        if local_directory is None:
            why = storage_refusal(error, folder.path.parent) or f"{scratch}: {error.strerror}."
            raise PreflightFailed(why) from error
        raise PreflightFailed(
            f"local_directory: {local_directory} cannot be used ({error.strerror}). Choose one that you can write to, "
            "or that can be created."
        ) from error
    return scratch


def _make_directory(directory: Path) -> None:
    """Make a missing directory, outermost parents first; refuse one that other users could replace."""
    there = next(place for place in (directory, *directory.parents) if place.exists())
    if not there.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    missing = [place for place in (directory, *directory.parents) if place.is_relative_to(there) and place != there]
    for place in (*reversed(there.parents), there, *reversed(missing)):
        if place in missing:
            place.mkdir(mode=0o700, exist_ok=True)  # Another user may be faster; checked below.
        if not others_cannot_replace(place):
            raise PreflightFailed(
                f"local_directory: other users can write to {place} and replace its contents. Choose a directory "
                "below your own directories or the system's, or one with the sticky bit."
            )


def prepare(parts: ClusterParts, scratch: Path, spec: SpecBase, report: Callable[[str, str], None]) -> StartContext:
    """Return what the backend needs to start the cluster: for TLS with credentials, for unix sockets with a folder."""
    import dask

    folder, protocol = parts.folder, spec.port_protocol
    # For scheduler and workers alike. Dask's default is a well-known folder in a directory that all users share, where
    # another user could plant links first.
    dask.config.set({"temporary-directory": str(scratch)})
    comm: Path | None = None
    if protocol == "unix":
        comm = folder.comm
        make_comm_folder(comm)
        redact(secret_of(str(comm)).decode())
        # Workers find it here: distributed passes them no host.
        dask.config.set({"gpucluster.comm-folder": str(comm)})
    prefix = secrets.token_urlsafe(PREFIX_BYTES)
    redact(prefix)
    return StartContext(
        cluster_id=folder.id,
        security=make_credentials(folder.tls) if protocol == "tls" else None,
        scratch_directory=scratch,
        dashboard_prefix=prefix,
        report=report,
        tell=parts.activity_log.happened,
        claims=device_claims(parts.registry.directory),
        left=parts.quota,
        tls_directory=folder.tls if protocol == "tls" else None,
        credentials_directory=folder.tls,
        comm_directory=comm,
        remember=partial(remember, folder, spec.backend),
    )


def device_claims(directory: Path) -> NodeClaims | DeviceClaims:
    """Return the claims of this machine, or this registry's where users share none."""
    policy = gpu_policy()
    claims = NodeClaims(policy)
    try:
        claims.look()
    except OSError as error:
        logger.info("GPUs are claimed among clusters of this user only: %s", error.strerror)
        return DeviceClaims(directory, replace(policy, slots=None, per_user=None))
    return claims


VALID_DAYS = 365


def make_credentials(folder: Path) -> Security:
    """Make a certificate for one cluster, write it to ``folder`` (0700, files 0600), and return it in memory.

    One self-signed certificate serves scheduler, workers and clients, as in ``Security.temporary``, with two
    differences: an elliptic-curve key (milliseconds instead of up to a second for RSA), and a validity that
    starts yesterday, so that a machine whose clock is set back can still connect.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gpucluster")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("gpucluster")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    certificate_pem = certificate.public_bytes(pem).decode()
    key_pem = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
    folder.mkdir(mode=0o700, exist_ok=True)
    for name, text in {"ca": certificate_pem, "cert": certificate_pem, "key": key_pem}.items():
        write_private(folder / f"{name}.pem", text)
    return credentials(certificate_pem, certificate_pem, key_pem)
