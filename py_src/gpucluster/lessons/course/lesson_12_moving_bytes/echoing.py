"""The other end of a ping-pong: a process that sends back whatever it reads, over each given transport.

Started with ``python -m``. It reads one line of JSON (see `listen_to`), writes one with
the addresses, and ends when its standard input does. It never deserializes what it reads, and listens on this machine's
own address only, even where the transport itself would listen on all.
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from typing import Any

from ....dask_internals.listening import keep_websockets_on, listener

HOST = "127.0.0.1"
ENCRYPTED = frozenset({"tls", "wss"})


def security_of(told: dict[str, str]) -> Any:
    """Return the credentials of this run: certificate and key, as text."""
    from distributed.security import Security

    pair = {f"tls_{role}_{part}": told[part] for role in ("scheduler", "client") for part in ("cert", "key")}
    return Security(tls_ca_file=told["ca"], require_encryption=None, **pair)


async def answer(comm: Any) -> None:
    """Send back what comes, until the other end closes."""
    try:
        while True:
            await comm.write(await comm.read())
    except OSError:  # Dask's error for a closed comm is one
        return


async def listen_to(stack: AsyncExitStack, told: dict[str, Any]) -> dict[str, str]:
    """Listen on ``told["addresses"]``, a dictionary by transport, and return where each can be reached."""
    keep_websockets_on(HOST)
    found = {}
    for scheme, address in told["addresses"].items():
        keys = security_of(told["tls"]).get_listen_args("scheduler") if scheme in ENCRYPTED else {}
        try:
            listening = await stack.enter_async_context(listener(address, answer, **keys))
        except Exception as error:  # a transport that another package has registered may refuse in any way
            found[scheme] = f"! {type(error).__name__}: {error}"
            continue
        reached = listening.contact_address
        # distributed names the machine's address on the network, where nothing listens here.
        with_port = address == f"{scheme}://{HOST}:0"
        found[scheme] = f"{scheme}://{HOST}:{reached.rpartition(':')[2]}" if with_port else reached
    return found


async def main() -> None:
    """Listen, tell where, and wait for the end of the standard input."""
    loop = asyncio.get_running_loop()
    told = json.loads(await loop.run_in_executor(None, sys.stdin.readline))
    async with AsyncExitStack() as stack:
        print(json.dumps(await listen_to(stack, told)), flush=True)
        await loop.run_in_executor(None, sys.stdin.readline)


if __name__ == "__main__":
    asyncio.run(main())
