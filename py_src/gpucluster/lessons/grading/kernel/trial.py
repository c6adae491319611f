"""What a kernel can do in a sandbox, tried before grading begins.

``python -m gpucluster.lessons.grading.kernel.trial`` restricts itself as a kernel does, reaches for what
`sandbox.trying` has laid out, and writes down what it got.
"""

import json
import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..sandbox.protection import restrict

BAIT, FOUND = "bait.json", "found.json"
_TRY_S = 2.0


def _got(step: Callable[[], object]) -> bool:
    try:
        step()
    except OSError:
        return False
    return True


def _read(path: str) -> bool:
    """Whether a file has content here: one that is covered may be empty."""
    with suppress(OSError), open(path, "rb") as file:
        return bool(file.read(1))
    return False


def _connect(family: socket.AddressFamily, address: str | tuple[str, int]) -> None:
    with socket.socket(family) as client:
        client.settimeout(_TRY_S)
        client.connect(address)


def _loopback() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        _connect(socket.AF_INET, server.getsockname())


def _status(field: str) -> str:
    with suppress(OSError), open("/proc/self/status", encoding="utf-8") as file:
        return next((line.split()[1] for line in file if line.startswith(f"{field}:")), "")
    return ""


def main() -> None:
    """Restrict this process and try."""
    restrict()
    bait = json.loads(Path(BAIT).read_text(encoding="utf-8"))
    secret = Path(bait["secret"])
    found = {
        "read": _got(secret.read_bytes),
        "write": _got(lambda: secret.write_text("changed", encoding="utf-8")),
        "make": _got(lambda: secret.with_name("made").touch()),
        "network": _got(lambda: _connect(socket.AF_INET, ("127.0.0.1", bait["port"]))),
        "abstract": _got(lambda: _connect(socket.AF_UNIX, "\0" + bait["abstract"])),
        "signal": bait["pid"] != os.getpid() and _got(lambda: os.kill(bait["pid"], 0)),
        "solutions": any(map(_read, bait["solutions"])),
        "loopback": _got(_loopback),
        "filtered": _status("Seccomp") == "2",
    }
    Path(FOUND).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
