"""Hosts in network namespaces: a switch, and links that can be cut. This machine's own network is not touched."""

import os
import shutil
import subprocess
from contextlib import suppress

import psutil
import pytest


def ip(*words: str) -> str:
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


class Network:
    """`n` hosts ``0``, ``1``, … at ``10.77.0.10`` and following, and a switch between them."""

    def __init__(self, n: int) -> None:
        if os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("nsenter") is None:
            pytest.skip("needs network namespaces: root, iproute2 and util-linux")
        self._prefix = f"gpc{os.getpid()}"
        self._made: list[str] = []
        try:
            self._make(n)
        except subprocess.CalledProcessError as error:
            self.close()
            pytest.skip(f"network namespaces cannot be made here: {error.stderr.strip()}")

    def _make(self, n: int) -> None:
        switch = self._space("sw")
        ip("-n", switch, "link", "add", "br0", "type", "bridge")
        ip("-n", switch, "link", "set", "br0", "up")
        for number in range(n):
            host = self._space(f"h{number}")
            ip("-n", switch, "link", "add", f"v{number}", "type", "veth", "peer", "name", "eth0", "netns", host)
            ip("-n", switch, "link", "set", f"v{number}", "master", "br0", "up")
            ip("-n", host, "addr", "add", f"{self.address(number)}/24", "dev", "eth0")
            ip("-n", host, "link", "set", "eth0", "up")

    def _space(self, name: str) -> str:
        space = f"{self._prefix}-{name}"
        ip("netns", "add", space)
        self._made.append(space)
        ip("-n", space, "link", "set", "lo", "up")
        return space

    @staticmethod
    def address(number: int) -> str:
        return f"10.77.0.{10 + number}"

    def on(self, number: int) -> list[str]:
        """Return the prefix of a command that runs on a host."""
        # The host name differs, too: figures are grouped by host.
        space = f"/run/netns/{self._prefix}-h{number}"
        name = f'hostname h{number}; exec "$@"'
        return ["nsenter", f"--net={space}", "unshare", "--uts", "--", "sh", "-c", name, "sh"]

    def cut(self, number: int) -> None:
        ip("-n", f"{self._prefix}-sw", "link", "set", f"v{number}", "down")

    def limit(self, number: int, rate: str) -> None:
        """Limit the rate of the link to a host in each direction, such as ``1gbit``."""
        switch, host = f"{self._prefix}-sw", f"{self._prefix}-h{number}"
        for space, device in ((switch, f"v{number}"), (host, "eth0")):
            words = ["qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst", "256kb", "latency", "50ms"]
            subprocess.run(["tc", "-n", space, *words], check=True, capture_output=True, text=True)

    def restore(self, number: int) -> None:
        ip("-n", f"{self._prefix}-sw", "link", "set", f"v{number}", "up")

    def processes(self, number: int) -> list[psutil.Process]:
        found = []
        for pid in ip("netns", "pids", f"{self._prefix}-h{number}").split():
            with suppress(psutil.Error):
                found.append(psutil.Process(int(pid)))
        return found

    def close(self) -> None:
        """Remove the hosts with their processes."""
        for number, space in enumerate(self._made):
            for process in self.processes(number - 1) if number else []:
                with suppress(psutil.Error):
                    process.kill()
            with suppress(subprocess.CalledProcessError):
                ip("netns", "del", space)
        self._made.clear()
