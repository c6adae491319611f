"""A real SSH server on loopback, with separate keys, port and configuration."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.backends.packages import NotInstalled, installed

_SERVER = """
Port {port}
{addresses}
HostKey {folder}/host_key
PidFile {folder}/{name}.pid
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
UsePAM no
PermitUserRC no
PrintMotd no
MaxStartups 100:30:200
"""
_HOST = """
Host {name}
  HostName {address}
  Port {port}
  User {user}
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
"""


def program() -> str:
    """Return the path of sshd; install it if possible, otherwise skip."""
    try:
        installed(["openssh-server"], _found)
    except NotInstalled as reason:
        pytest.skip(f"needs an SSH server: {reason}")
    if os.geteuid() != 0:
        pytest.skip("starts SSH servers, which only root can")
    return str(_found())


def _found() -> str | None:
    return shutil.which("sshd") or shutil.which("sshd", path="/usr/sbin:/usr/local/sbin")


class Servers:
    """SSH servers, the keys for them, and a client's configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.config = folder / "config"
        self.config.write_text("")
        self._program = program()
        self._names: list[str] = []
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        for key in ("key", "host_key", "other_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / key)], check=True)
        shutil.copy(folder / "key.pub", folder / "authorized_keys")
        (folder / "known_hosts").write_text("")

    def start(
        self,
        name: str,
        addresses: Sequence[str],
        port: int,
        prefix: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start a server below the command ``prefix``; sessions have these environment variables."""
        listen = "\n".join(f"ListenAddress {address}" for address in addresses)
        config = self.folder / f"{name}.sshd"
        config.write_text(_SERVER.format(port=port, addresses=listen, folder=self.folder, name=name))
        if environment:
            pairs = " ".join(f"{variable}={value}" for variable, value in environment.items())
            config.write_text(config.read_text() + f"SetEnv {pairs}\n")
        subprocess.run([*prefix, self._program, "-f", str(config), "-E", str(self.folder / f"{name}.log")], check=True)
        self._names.append(name)
        key = " ".join((self.folder / "host_key.pub").read_text().split()[:2])
        with (self.folder / "known_hosts").open("a") as file:
            file.writelines(f"[{address}]:{port} {key}\n" for address in addresses)

    def know(self, address: str) -> None:
        """Let the client know the servers' key at an address with the default port."""
        key = " ".join((self.folder / "host_key.pub").read_text().split()[:2])
        with (self.folder / "known_hosts").open("a") as file:
            file.write(f"{address} {key}\n")

    def name(self, name: str, address: str, port: int, more: str = "") -> None:
        """Give a host a name in the client's configuration."""
        with self.config.open("a") as file:
            file.write(_HOST.format(name=name, address=address, port=port, user="root", folder=self.folder))
            file.write(more)

    def stop(self) -> None:
        for name in self._names:
            with suppress(OSError, ValueError, psutil.Error):
                server = psutil.Process(int((self.folder / f"{name}.pid").read_text()))
                for process in [*server.children(recursive=True), server]:
                    with suppress(psutil.Error):
                        process.kill()
        self._names.clear()
