"""Connects to a name repeatedly, as fast as it can: ``flooder.py NAME SECONDS``."""

import socket
import sys
import threading
import time


def flood(name: str, until: float) -> None:
    while time.monotonic() < until:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.setblocking(False)
            try:
                connection.connect(f"\0{name}")
                connection.send(b"x" * 65536)
            except OSError:
                pass


threads = [threading.Thread(target=flood, args=(sys.argv[1], time.monotonic() + float(sys.argv[2]))) for _ in range(3)]
for thread in threads:
    thread.start()
print("floods", flush=True)
for thread in threads:
    thread.join()
