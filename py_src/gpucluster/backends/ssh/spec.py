"""What can be asked of workers on other machines that are reached by SSH."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from ...protocol.machine_spec import GPUSpec, NodeSpec
from ...protocol.plain_text import printable
from ...protocol.spec_base import MAX_WORKERS, AbsolutePath, WorkerCountOrZero, advanced, number_of_workers, option

HOST = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)@)?(?P<host>[A-Za-z0-9_][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
)
_shown = partial(option, "Hosts")
_advanced = partial(advanced, "Hosts")


def parse_hosts(value: Any) -> list[str]:
    """Read hosts, as a list or as text with commas or blanks between them."""
    if isinstance(value, str):
        value = re.split(r"[\s,]+", value.strip(" ,\t\n"))
    if not isinstance(value, list) or not all(isinstance(host, str) for host in value):
        raise ValueError("must be the names of hosts, such as 'node1,node2'")
    for host in value:
        found = HOST.fullmatch(host)
        if not found or not 0 < int(found["port"] or 22) < 65536:
            raise ValueError(f"{printable(host, 60)!r} is not a host name: write 'node1', 'me@node1' or 'node1:2222'")
    if not 0 < len(value) <= MAX_WORKERS:
        raise ValueError(f"must name at least one host, and at most {MAX_WORKERS}")
    return value


Hosts = Annotated[list[str], BeforeValidator(parse_hosts)]


class SSHSpec(NodeSpec, GPUSpec):
    """Workers on hosts that you can log in to by SSH."""

    backend: Literal["ssh"] = Field("ssh", title="Kind", description="Workers on hosts that you can log in to by SSH.")
    n_workers: WorkerCountOrZero | None = number_of_workers("one on each host, or one per GPU where there are GPUs")
    hosts: Hosts | None = _shown(
        "Hosts",
        None,
        "Hosts, as 'node1,node2'; also 'me@node1' and 'node1:2222', and names of your SSH configuration. One worker "
        "on each, or one per GPU where there are GPUs; a host listed twice gets two.",
        empty="required, or a host file",
    )
    hostfile: AbsolutePath | None = _advanced(
        "Host file",
        None,
        "Absolute path of a file with one host per line, as for MPI ('node1 slots=2'), instead of hosts.",
        empty="none",
    )
    remote_python: AbsolutePath | None = _advanced(
        "Python path on the hosts",
        None,
        "Absolute path of the Python on the hosts; it needs dask and distributed. Default: the same path as here.",
    )
    ssh_config: AbsolutePath | None = _advanced(
        "SSH configuration",
        None,
        "Absolute path of an SSH configuration, for users, keys, ports and jump hosts. Default: ~/.ssh/config.",
    )
    use_gpus: bool = _advanced("Use GPUs", True, "Give each worker a GPU of its host, if there are GPUs (dask-cuda).")

    @model_validator(mode="after")
    def _some_hosts(self) -> Self:
        if (self.hosts is None) == (self.hostfile is None):
            raise ValueError("set hosts, such as 'node1,node2', or a hostfile" + (", not both" if self.hosts else ""))
        if not self.use_gpus and (chosen := self.chosen_gpu_options()):
            raise ValueError(f"{chosen[0]} is for workers with a GPU: leave use_gpus on")
        return self
