"""Only one package uses Linux-only features; it has replacements for other systems."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.modules import modules

PACKAGE = Path(__file__).resolve().parents[2] / "py_src" / "gpucluster"
HERE = "operating_system"
NAMES = re.compile(
    r"O_PATH|O_TMPFILE|SO_PEERCRED|SO_PASSCRED|SCM_CREDENTIALS|P_PIDFD|CLOCK_BOOTTIME|LINUX_\w+|F_(OFD|SEAL|ADD_SEALS)\w*"
    r"|(pidfd|memfd|eventfd|timerfd|inotify|fanotify|epoll)_\w+|sched_[gs]et\w+|epoll|prctl|prlimit|setns|unshare"
    r"|splice|copy_file_range|process_cpu_count|cpu_affinity|ionice|rlimit"
)
"""Names of the standard library, of psutil's processes and of the C library that only Linux has."""
PLACES = re.compile(r"^/(proc|sys|run|dev/shm)(/|$)")
ALLOWED = {
    "lessons/grading/submissions.py": {"'/run/user/'"},
    "lessons/grading/sandbox/bubblewrap.py": {"'/proc'"},
    "lessons/grading/sandbox/view.py": {"'/sys'", "'/sys/devices/system'", "'/sys/fs/cgroup'", "'/proc/self/maps'"},
    "lessons/grading/kernel/trial.py": {"'/proc/self/status'"},
}
"""A folder that is closed where it exists; paths inside a sandbox of namespaces, which only Linux has."""
SENT = {"backends/ssh/agent.py", "backends/ssh/remote_gpus.py"}
"""Run on hosts without gpucluster."""


def linux_names(tree: ast.AST) -> Iterator[str]:
    """Yield a module's uses of Linux-only features."""
    docstrings = {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            whole = f"{ast.unparse(node.value)}.{node.attr}"
            if NAMES.fullmatch(node.attr) or whole == "sys.platform":
                yield f"line {node.lineno}: {whole}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            if PLACES.match(node.value) or NAMES.fullmatch(node.value):
                yield f"line {node.lineno}: {node.value!r}"
        elif isinstance(node, ast.Call) and ast.unparse(node).endswith("CDLL(None)"):
            yield f"line {node.lineno}: the C library"


def test_only_operating_system_uses_linux_names():
    found = {}
    for path in modules():
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith(f"{HERE}/"):
            used = [use for use in linux_names(ast.parse(path.read_text(encoding="utf-8"))) if not _allowed(name, use)]
            if used:
                found[name] = used
    assert not found, "use a function of gpucluster.operating_system, or add one with a replacement for other systems"


def _allowed(name: str, use: str) -> bool:
    return name in SENT or use.partition(": ")[2] in ALLOWED.get(name, set())


@pytest.mark.parametrize(
    "code",
    [
        "os.open(path, os.O_PATH)", "hasattr(socket, 'SO_PEERCRED')", "os.sched_getaffinity(0)",
        "open(f'/proc/{pid}/stat')", "Path('/proc/self/fd')", "sys.platform == 'linux'",
        "ctypes.CDLL(None).prctl(1, 9)", "psutil.Process().cpu_affinity()",
    ],
)  # fmt: skip
def test_undocumented_use_is_found(code):
    assert list(linux_names(ast.parse(code)))
