"""Runs distributed's own tests of comms on our transports: ``python -m tests.comm.upstream SOURCE``.

``SOURCE`` is a checkout of https://github.com/dask/distributed, as wheels have no tests; nothing of it is copied. It
runs those parts of ``distributed/comm/tests/test_comms.py`` that take an address or a pair of comms, and prints the
result of each as JSON: ``ok``, or the error.
"""

import asyncio
import importlib.util
import json
import sys
import tempfile
import traceback
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

from distributed import utils_test
from gpucluster.comm.folder import PREFIX, make_comm_folder

SCHEMES = ("mpi", "unix", "tcp", "tls")
BY_ADDRESS = (
    "check_client_server", "check_comm_closed_implicit", "check_comm_closed_explicit", "check_many_listeners",
    "check_deserialize", "check_deserialize_roundtrip", "check_deserialize_eoferror",
)  # fmt: skip
BY_PAIR = ("check_repr", "check_addresses")
ALL = (*BY_ADDRESS, *BY_PAIR)
SECONDS = 60.0


def load(source: Path, scheme: str) -> Any:
    """Return the module of tests, with its own certificates for the TLS transport."""
    utils_test.get_cert = lambda name: str(source / "distributed" / "tests" / name)
    spec = importlib.util.spec_from_file_location("test_comms", source / "distributed/comm/tests/test_comms.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if scheme == "tls":
        module.listen = partial(module.listen, ssl_context=utils_test.get_server_ssl_context())  # type: ignore[attr-defined]
        module.connect = partial(module.connect, ssl_context=utils_test.get_client_ssl_context())  # type: ignore[attr-defined]
    return module


async def by_pair(module: Any, check: str, address: str) -> None:
    await getattr(module, check)(*await module.get_comm_pair(address))


async def every(source: Path, scheme: str, address: str) -> dict[str, str]:
    module = load(source, scheme)
    checks: dict[str, Callable[[], Awaitable[None]]] = {
        **{check: partial(getattr(module, check), address) for check in BY_ADDRESS},
        **{check: partial(by_pair, module, check, address) for check in BY_PAIR},
    }
    found = {}
    for name, check in checks.items():
        try:
            await asyncio.wait_for(asyncio.ensure_future(check()), SECONDS)
            found[name] = "ok"
        except Exception as error:
            traceback.print_exc()
            found[name] = f"{type(error).__name__}: {error}"
    return found


async def main(source: Path) -> None:
    from gpucluster.comm.mpi.world import join

    join("127.0.0.1")
    with tempfile.TemporaryDirectory(prefix="gpcup", dir="/tmp") as folder:
        make_comm_folder(Path(folder) / "comm")
        addresses = {scheme: f"{scheme}://127.0.0.1" for scheme in SCHEMES} | {"unix": f"{PREFIX}{folder}/comm:0"}
        found = {scheme: await every(source, scheme, address) for scheme, address in addresses.items()}
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
