"""What is found wrong with a request before a process starts: files, hosts and addresses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from gpucluster.protocol.kinds import find_kind, parse_spec

KUBECONFIG = "contexts: [{name: mine, context: {}}]\nclusters: []\nusers: []\n"


def faults(**options: Any) -> list[tuple[str, str]]:
    found = find_kind(options["backend"])
    assert found is not None and found.kind is not None
    return [(fault.field, fault.message) for fault in found.kind.faults(parse_spec(options))]


@pytest.mark.parametrize(
    ("options", "field", "message"),
    [
        (
            {"backend": "existing", "address": "tcp://nowhere.invalid:8786"},
            "address",
            "host 'nowhere.invalid' not found",
        ),
        ({"backend": "existing", "address": "tcp://127.0.0.1:9"}, "address", "nothing listens on port 9 of 127.0.0.1"),
        ({"backend": "existing", "scheduler_file": "/tmp/no.json"}, "scheduler_file", "there is no file /tmp/no.json"),
        ({"backend": "gateway", "address": "http://127.0.0.1:9"}, "address", "nothing listens on port 9"),
        ({"backend": "ssh", "hostfile": "/tmp/no-hosts"}, "hostfile", "/tmp/no-hosts cannot be read"),
        ({"backend": "ssh", "hosts": "a", "ssh_config": "/tmp/no-config"}, "ssh_config", "there is no file"),
        ({"backend": "kubernetes", "kubeconfig": "/tmp/no-config"}, "kubeconfig", "there is no file /tmp/no-config"),
    ],
)
def test_missing_files_and_hosts_are_reported_at_their_field(options: dict[str, Any], field: str, message: str) -> None:
    [(at, text)] = faults(**options)
    assert at == field
    assert text.startswith(message)
    assert not text.endswith(".")


def test_hosts_are_looked_up_without_an_ssh_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert faults(backend="ssh", hosts="nowhere.invalid,127.0.0.1") == [("hosts", "host 'nowhere.invalid' not found")]
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host nowhere.invalid\n  HostName 127.0.0.1\n")
    assert faults(backend="ssh", hosts="nowhere.invalid,127.0.0.1") == []


def test_a_context_must_be_in_the_kubeconfig(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(KUBECONFIG)
    assert faults(backend="kubernetes", kubeconfig=str(path), context="mine") == []
    [(field, message)] = faults(backend="kubernetes", kubeconfig=str(path), context="other")
    assert (field, message) == ("context", "the kubeconfig has no context 'other'; available: mine")


@pytest.mark.parametrize("backend", ["local", "cuda", "auto", "slurm", "mpi"])
def test_other_kinds_check_nothing(backend: str) -> None:
    assert faults(backend=backend) == []
