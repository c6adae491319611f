"""Files that a user names: endless files and pipes without a writer neither block nor fill memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from gpucluster.backends.existing.address import find_address, find_credentials
from gpucluster.backends.existing.spec import ExistingSpec
from gpucluster.backends.kubernetes.api import kubeconfig_fault
from gpucluster.backends.ssh.hosts import named_hosts
from gpucluster.backends.ssh.spec import SSHSpec
from gpucluster.protocol.errors import PreflightFailed


@pytest.fixture(params=["/dev/zero", "pipe", "folder", "long"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return a path that is no text file of a few lines."""
    path = tmp_path / request.param
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "folder":
        path.mkdir()
    elif request.param == "long":
        path.write_bytes(b"a\n" * 2**22)
    return str(path)


def test_a_list_of_hosts(file: str) -> None:
    with pytest.raises(PreflightFailed, match=r"^hostfile: .* is (not a plain file|larger than 1 MiB)"):
        named_hosts(SSHSpec(hostfile=file))


def test_a_scheduler_file(file: str) -> None:
    with pytest.raises(PreflightFailed, match=r"^scheduler_file: .* is (not a plain file|larger than 1 MiB)"):
        find_address(ExistingSpec(scheduler_file=file))


def test_files_of_tls(file: str) -> None:
    spec = ExistingSpec(address="tls://127.0.0.1:1", tls_ca_file=file, tls_cert=file, tls_key=file)
    with pytest.raises(PreflightFailed, match=r"^The TLS file .* is (not a plain file|larger than 1 MiB)"):
        find_credentials(spec, "tls://127.0.0.1:1")


def test_a_kubeconfig(file: str) -> None:
    fault = kubeconfig_fault(file)
    assert fault is not None
    assert "is not a plain file" in fault or "is larger than 4 MiB" in fault
