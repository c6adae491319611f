"""Schedulers started outside gpucluster, each with a worker: ``python schedulers.py FOLDER PORT``; 0 for any port.

It prints their addresses as a line of JSON, and ends when its standard input does.
"""

import asyncio
import json
import sys
from pathlib import Path

from distributed import Scheduler, Security, Worker


def credentials(folder: Path) -> Security:
    """Write the TLS files, and return what uses them."""
    made = Security.temporary()
    for name, text in ("ca", made.tls_ca_file), ("cert", made.tls_client_cert), ("key", made.tls_client_key):
        (folder / f"{name}.pem").touch(mode=0o600)
        (folder / f"{name}.pem").write_text(text)
    return made


async def main(folder: Path, port: int) -> None:
    security = credentials(folder)
    addresses = {}
    schedulers = {
        "tcp": Scheduler(host="127.0.0.1", port=port, dashboard_address="127.0.0.1:0"),
        "tls": Scheduler(host="127.0.0.1", protocol="tls://", security=security, dashboard_address="127.0.0.1:0"),
    }
    workers = []
    for name, scheduler in schedulers.items():
        await scheduler
        secure = security if name == "tls" else None
        workers.append(await Worker(scheduler.address, nthreads=1, host="127.0.0.1", security=secure))
        addresses |= {name: scheduler.address, f"{name}-worker": workers[-1].address}
    print(json.dumps(addresses), flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
