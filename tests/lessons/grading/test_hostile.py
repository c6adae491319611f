"""A submission that tries everything against account, command and class; the one after it is graded."""

import hashlib
import json
import os
import resource
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gpucluster
import psutil
import pytest
from gpucluster.lessons.catalogue import COURSE
from gpucluster.lessons.grading import Grades, NotebookGrade, Sandboxing
from gpucluster.operating_system import landlock, seccomp
from gpucluster.registry.directory import default_directory

from .conftest import ALL, RIGHT, Graded, HandIn

pytestmark = [
    pytest.mark.timeout(400),
    pytest.mark.skipif(landlock.version() < 1 or not seccomp.can_filter(), reason="nothing holds a notebook back here"),
]

TOOLS = """
import ctypes, fcntl, glob, json, os, pathlib, resource, shutil, signal, socket, struct, subprocess, sys
GIVEN = json.loads({given!r})
command, runner = GIVEN["command"], os.getppid()
libc = ctypes.CDLL(None, use_errno=True)
worked = []

def call(number, *arguments):
    if os.uname().machine != "x86_64":
        raise OSError("these are the numbers of another machine")
    plain = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    if libc.syscall(ctypes.c_long(number), *plain) < 0:
        raise OSError(ctypes.get_errno(), "refused")
def find_name(path):
    if os.path.basename(path) not in os.listdir(os.path.dirname(path)):
        raise OSError("another folder has this name here")

def refused(name, step):
    try:
        step()
    except (OSError, ValueError):
        return
    worked.append(name)

def silently(name, step):
    step()  # an honest library goes on; that nothing has changed, the test sees
"""
PROCESSES = """
for who, pid in (("command", command), ("runner", runner)):
    for kind in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_CPU, resource.RLIMIT_DATA):
        refused(f"prlimit of the {who}", lambda: resource.prlimit(pid, kind, (0, 0)))
    refused(f"priority of the {who}", lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))
    refused(f"disk priority of the {who}", lambda: call(251, 1, pid, 3 << 13))
    silently(f"processors of the {who}", lambda: os.sched_setaffinity(pid, {0}))
    silently(f"scheduling of the {who}", lambda: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, 0):
        refused(f"signal {number} to the {who}", lambda: os.kill(pid, number))
    refused(f"pidfd signal to the {who}", lambda: signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGKILL))
    refused(f"tgkill of the {who}", lambda: call(234, pid, pid, 9))
    refused(f"queued signal to the {who}", lambda: call(129, pid, 9, ctypes.create_string_buffer(128)))
    refused(f"ptrace of the {who}", lambda: call(101, 0x4206, pid, 0, 0))
    refused(f"memory of the {who}", lambda: call(310, pid, 0, 0, 0, 0, 0))
    refused(f"a descriptor of the {who}", lambda: call(438, os.pidfd_open(pid), 0, 0))
    for name in ("mem", "environ"):
        refused(f"{name} of the {who}", lambda: open(f"/proc/{pid}/{name}", "rb").read(1))
    refused(f"place of the {who} when memory ends", lambda: open(f"/proc/{pid}/oom_score_adj", "w").write("1000"))
refused("priority of the account", lambda: os.setpriority(os.PRIO_USER, 0, 19))
for number, flag in ((272, 0x10000000), (272, 0x20000), (308, 0), (165, 0), (56, 0x10000000 | 17), (161, 0)):
    refused(f"call {number} with {flag:#x}", lambda: call(number, flag, 0, 0, 0, 0))
for number in (298, 250, 248, 249, 321, 323, 425, 426, 427, 179, 155, 428, 430, 442, 304, 300, 29, 64, 68, 240):
    refused(f"call {number}", lambda: call(number, 0, 0, 0, 0, 0))
for family in (socket.AF_PACKET, socket.AF_ALG, 40, 17, 38):
    refused(f"sockets of family {family}", lambda: socket.socket(family, socket.SOCK_DGRAM))
for protocol in (socket.NETLINK_NFLOG, 9, 15):
    refused(f"netlink {protocol}", lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol))
refused("raw sockets", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
if GIVEN["scoped"]:
    def abstract():
        with socket.socket(socket.AF_UNIX) as client:
            client.connect("\\0" + GIVEN["abstract"])
    refused("a socket without a path", abstract)
refused("memory without a process", lambda: os.memfd_create("x"))
refused("a hidden process", lambda: call(157, 4, 0, 0, 0, 0))
refused("a call of another architecture", lambda: call(0x40000000 + 39))
rights = [line.split()[1] for line in open("/proc/self/status") if line.startswith(("CapEff", "CapPrm", "CapBnd"))]
if any(int(one, 16) for one in rights):
    worked.append(f"special rights: {rights}")
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # its own, it may lower
os.sched_setaffinity(0, os.sched_getaffinity(0))
"""
FILES = """
for path in GIVEN["files"] + GIVEN["folders"]:
    silently(f"mode of {path}", lambda: os.chmod(path, 0o777))
    silently(f"times of {path}", lambda: os.utime(path, (1, 1)))
    refused(f"times of {path}", lambda: os.utime(path))
    refused(f"owner of {path}", lambda: os.chown(path, 1, 1))
    refused(f"owner of {path}", lambda: os.lchown(path, 1, 1))
    refused(f"attribute of {path}", lambda: os.setxattr(path, "user.x", b"1"))
    refused(f"attribute of {path}", lambda: os.removexattr(path, "user.mine"))
    refused(f"name of {path}", lambda: os.rename(path, path + "x"))
    refused(f"link to {path}", lambda: os.link(path, "link"))
for path in GIVEN["files"]:
    refused(f"end of {path}", lambda: os.truncate(path, 0))
    refused(f"emptied {path}", lambda: os.close(os.open(path, os.O_RDONLY | os.O_TRUNC)))
    refused(f"written {path}", lambda: open(path, "a").write("x"))
    refused(f"removed {path}", lambda: os.remove(path))
for path in filter(os.path.exists, GIVEN["readable"]):
    with open(path, "rb") as file:
        silently("mode by a descriptor", lambda: os.fchmod(file.fileno(), 0o777))
        silently("times by a descriptor", lambda: os.utime(file.fileno(), (1, 1)))
        refused("owner by a descriptor", lambda: os.fchown(file.fileno(), 1, 1))
        refused("attribute by a descriptor", lambda: os.setxattr(file.fileno(), "user.x", b"1"))
        refused("lease", lambda: fcntl.fcntl(file.fileno(), fcntl.F_SETLEASE, fcntl.F_RDLCK))
        refused("flags", lambda: fcntl.ioctl(file.fileno(), 0x40086602, struct.pack("l", 0x40)))
for path in GIVEN["folders"]:
    refused(f"new file in {path}", lambda: open(path + "/new", "w"))
    refused(f"new folder in {path}", lambda: os.mkdir(path + "/new"))
def watch_changes(path):
    if libc.inotify_add_watch(libc.inotify_init1(0), os.fsencode(path), 0xFFF) < 0:
        raise OSError(ctypes.get_errno(), "refused")

for path in GIVEN["closed"]:
    refused(f"changes in {path}", lambda: watch_changes(path))
    refused(f"names in {path}", lambda: os.listdir(path))
    refused(f"names above {path}", lambda: find_name(path))
for path in GIVEN["secrets"]:
    refused(f"read {path}", lambda: open(path, "rb").read())
    refused(f"read {path} by another name", lambda: open(f"/proc/{runner}/root{path}", "rb").read())
for path in glob.glob("/dev/[vsx]d*") + glob.glob("/dev/nvme*") + ["/dev/mem", "/dev/kmsg", "/proc/kcore"]:
    refused(f"read {path}", lambda: open(path, "rb").read(1))
"""
SPITE = """
import tempfile
shutil.copy2(__import__("os").__file__, "copy.py")  # honest code still works
with tempfile.NamedTemporaryFile() as file:
    os.fchmod(file.fileno(), 0o644)
    file.write(b"x")
if os.stat("copy.py").st_mode & 0o077:
    worked.append("files that others can read")
left = [subprocess.Popen(["sleep", "600"]) for _ in range(15)]
print("x" * 20_000_000)
os.mkdir("deep")
place = os.getcwd()
os.chdir("deep")
for _ in range(3_000):
    os.mkdir("d")
    os.chdir("d")
os.chdir(place)
for path in GIVEN["folders"]:  # all of them the test's own
    shutil.rmtree(path, ignore_errors=True)
    subprocess.run(["rm", "-rf", path + "/x", path], stderr=subprocess.DEVNULL)
assert not worked, worked
"""
ENDS = "import os, signal\nos.kill(0, signal.SIGKILL)"  # its own group


@pytest.fixture
def abstract() -> Iterator[str]:
    """A socket of another program, which has no path."""
    name = f"gpucluster-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(f"\0{name}")
        listening.listen()
        yield name


def result_of(grades: Grades, learner: str) -> NotebookGrade:
    [found] = [one for one in grades.submissions if one.learner == learner]
    return found


def everything(folder: Path, *, contents: bool = True) -> dict[str, Any]:
    """What can be changed of a folder and all that is in it."""
    found = {}
    for path in (folder, *sorted(folder.rglob("*"))):
        about = path.lstat()
        entry: list[Any] = [oct(about.st_mode), about.st_uid, about.st_gid, os.listxattr(path, follow_symlinks=False)]
        if contents:
            text = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            entry += [about.st_mtime_ns, about.st_nlink, text]
        found[str(path)] = entry
    return found


def limits_and_priorities() -> list[Any]:
    kinds = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
    own = psutil.Process()
    return [
        {kind: resource.getrlimit(kind) for kind in kinds},
        os.sched_getaffinity(0), os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0), own.ionice()
    ]  # fmt: skip


@pytest.mark.full
def test_the_one_after_a_hostile_submission_keeps_its_points(
    hand_in: HandIn, graded: Graded, tmp_path: Path, small_lesson: Path, client: Any, abstract: str
) -> None:
    honest = hand_in("honest")
    out = tmp_path / "out"
    out.mkdir()
    (out / "grades.csv").write_text("mine", encoding="utf-8")
    os.setxattr(out / "grades.csv", "user.mine", b"1")
    registry = default_directory()
    of_cluster = [str(path) for path in registry.rglob("*") if path.is_file()]
    assert of_cluster
    solution = small_lesson / "06-kmeans" / "06-kmeans-solution.ipynb"
    of_authors = [path for name in ("lesson.py", "answers/06.2.py") for path in COURSE.glob(f"lesson_06_*/{name}")]
    assert len(of_authors) == 2
    given = {
        "command": os.getpid(), "scoped": landlock.version() >= 6, "abstract": abstract,
        "files": [str(honest), str(out / "grades.csv"), str(solution)],
        "folders": [str(honest.parent), str(honest.parent.parent), str(out), str(solution.parent), str(registry)],
        "readable": [str(out / "grades.csv"), gpucluster.__file__],
        "closed": [str(registry), str(honest.parent), *(str(path) for path in registry.iterdir() if path.is_dir())],
        "secrets": [*of_cluster, str(honest), str(solution), *map(str, of_authors)]
    }  # fmt: skip
    first = TOOLS.format(given=json.dumps(given)) + PROCESSES + FILES + SPITE
    hand_in("a-hostile", first, {**RIGHT, "06.4": ENDS})
    folders = (tmp_path, small_lesson, Path(gpucluster.__file__).parent / "protocol")
    before = [everything(folder) for folder in folders], everything(registry, contents=False), limits_and_priorities()
    grades = graded()
    after = [everything(folder) for folder in folders], everything(registry, contents=False), limits_and_priorities()
    hostile, kept = result_of(grades, "a-hostile"), result_of(grades, "honest")
    assert "AssertionError" not in " ".join(hostile.notes), hostile.notes
    assert after == before
    assert ({one.id: one.points for one in kept.exercises}, kept.status, kept.notes) == (ALL, "graded", [])
    assert {one.id: one.points for one in hostile.exercises} == {**ALL, "06.4": 0.0}, (hostile.status, hostile.notes)
    assert client.submit(sum, [1, 2]).result() == 3
    protection = kept.protection
    assert protection is not None
    assert (protection.landlock, protection.system_calls, protection.no_rights) == (landlock.version(), True, True)


FILLS = """
import os, time
try:
    os.mkdir("/dev/shm/gpucluster-test-folder")
    raise AssertionError("a folder that is not searched")
except OSError:
    pass
files = []
for number in range(5):
    files.append(open(f"/dev/shm/gpucluster-test-{os.getpid()}-{number}", "wb"))
    if number:
        os.remove(files[-1].name)  # what is open stays
    for _ in range(16):
        files[-1].write(bytes(16 * 2**20))
        time.sleep(0.1)
"""


@pytest.mark.full
def test_memory_that_is_no_processs_counts_too_and_what_is_left_of_it_is_told(
    hand_in: HandIn, graded: Graded, best: Sandboxing
) -> None:
    hand_in("fills", FILLS)
    if best != Sandboxing():
        [fills] = graded().submissions
        without = "Cell 2: it used too much memory; restarted without it."
        assert (fills.status, fills.notes) == ("memory", [without]), fills.notes  # it ends with the sandbox
        assert list(Path("/dev/shm").glob("gpucluster-test-*")) == []
    try:
        [fills] = graded(sandboxing=Sandboxing()).submissions
    finally:
        for left in Path("/dev/shm").glob("gpucluster-test-*"):
            left.unlink()
    assert fills.status == "memory", fills.notes
    assert any("MB in /dev/shm" in note for note in fills.notes), fills.notes
    assert not any("AssertionError" in note for note in fills.notes)


ASKS = """
import httpx, os, socket
from gpucluster.client.transport import BY_HEADER, PROTOCOL_HEADER
from gpucluster.protocol.version import PROTOCOL_VERSION
registry = {registry!r}
with open("/proc/net/unix") as file:
    names = {{line.split()[-1] for line in file if registry in line}}
assert names, "no socket was found: this proves nothing"
obeyed = []
for name in names:
    for method, path in (("POST", "/stop"), ("POST", "/scale"), ("POST", "/adopt"), ("GET", "/"), ("GET", "/state")):
        headers = {{PROTOCOL_HEADER: str(PROTOCOL_VERSION), BY_HEADER: "the teacher"}}
        try:
            with httpx.Client(transport=httpx.HTTPTransport(uds=name), headers=headers) as client:
                answer = client.request(method, "http://gpucluster" + path, json={{"n_workers": 0}})
        except (OSError, httpx.HTTPError):
            continue
        if answer.status_code < 400:
            obeyed.append((method, path, answer.status_code))
assert not obeyed, obeyed
"""


@pytest.mark.full
def test_no_cluster_of_the_account_obeys_a_submission(hand_in: HandIn, graded: Graded, client: Any) -> None:
    """The path of a socket is no secret, as /proc/net/unix has it. What opens it lies where no submission reads."""
    hand_in("asks", ASKS.format(registry=str(default_directory())))
    [asks] = graded(sandboxing=Sandboxing()).submissions
    assert (asks.notes, {one.id: one.points for one in asks.exercises}) == ([], ALL)
    assert client.submit(sum, [1, 2]).result() == 3
