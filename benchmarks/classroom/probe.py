"""A separate process that requests ``/api/status`` from each server once a second, and reports how long that took.

Each line of the standard input is a port and a token; at its end, a line of JSON is printed: port, and pairs of the
moment (of the monotonic clock) and the seconds.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections import defaultdict

EVERY_SECONDS = 1.0


async def _ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
    head = f"GET /api/status HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: token {token}\r\n\r\n"
    writer.write(head.encode())
    length = 0
    while (line := await reader.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    await reader.readexactly(length)


async def _look(port: int, token: str, found: list[tuple[float, float]]) -> None:
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            while True:
                began = time.monotonic()
                await _ask(reader, writer, token)
                found.append((began, time.monotonic() - began))
                await asyncio.sleep(EVERY_SECONDS)
        except (OSError, EOFError):  # Not yet there, or gone.
            await asyncio.sleep(EVERY_SECONDS)


async def main() -> None:
    """Ask until the standard input ends."""
    found: dict[int, list[tuple[float, float]]] = defaultdict(list)
    loop = asyncio.get_running_loop()
    tasks = []
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        port, token = line.split()
        tasks.append(asyncio.create_task(_look(int(port), token, found[int(port)])))
    for task in tasks:
        task.cancel()
    print(json.dumps(found))


asyncio.run(main())
