"""What is said of a machine that holds notebooks back in part only, and what a runner refuses to do."""

from __future__ import annotations

import subprocess
import sys

import pytest
from gpucluster.lessons.grading.grades import Protection
from gpucluster.lessons.grading.sandbox.protection import Unprotected, refuse_too_little

READ, EMPTY, END, CONNECT, MODES, OTHERS = (
    "It could read",
    "It could empty",
    "It could end",
    "It could connect",
    "It could change",
    "It could read other files of this account, and use the network",
)


@pytest.mark.parametrize(
    ("landlock", "system_calls", "gaps"),
    [
        (0, False, [READ, MODES]), (0, True, [READ]),
        (2, False, [EMPTY, END, CONNECT, MODES]), (2, True, [END, CONNECT]),
        (3, False, [END, CONNECT, MODES]), (6, False, [CONNECT, MODES]), (8, True, [CONNECT]), (9, True, []),
    ],
)  # fmt: skip
def test_each_gap_is_named(landlock: int, system_calls: bool, gaps: list[str]) -> None:
    said = Protection(landlock=landlock, system_calls=system_calls, no_rights=True).gaps
    assert said.pop().startswith(OTHERS)
    assert len(said) == len(gaps)
    assert all(one.startswith(gap) for one, gap in zip(said, gaps, strict=True)), said


def test_a_sandbox_of_its_own_is_enough_and_one_with_its_runner_is_not() -> None:
    fenced = {"kind": "bubblewrap", "namespaces": ["user", "mnt", "pid", "net", "ipc"]}
    apart, together = Protection(apart=True, **fenced), Protection(**fenced)
    refuse_too_little(apart)
    assert apart.gaps == []
    with pytest.raises(Unprotected, match="bubblewrap does instead of both"):
        refuse_too_little(together)
    assert together.gaps == ["It could read the solutions, and reach the process that grades it."]
    with pytest.raises(Unprotected):
        refuse_too_little(Protection(kind="bubblewrap", namespaces=["user", "mnt", "pid", "ipc"], apart=True))


def test_what_is_missing_is_said_with_how_to_get_it() -> None:
    refuse_too_little(Protection(landlock=1, system_calls=True))
    with pytest.raises(Unprotected, match="libseccomp2") as caught:
        refuse_too_little(Protection(landlock=1, system_calls=False))
    assert "Landlock" not in str(caught.value)
    with pytest.raises(Unprotected, match="Landlock, which Linux has since 5.13"):
        refuse_too_little(Protection(landlock=0, system_calls=True))


THREADS = """
import threading
from pathlib import Path
from gpucluster.lessons.grading.sandbox.protection import protect
threading.Thread(target=threading.Event().wait, daemon=True).start()
try:
    protect(Path("/nowhere"))
except RuntimeError as error:
    print(error)
Path("/proc/self/comm").write_text("free")  # nothing of it has taken effect
"""


def test_a_runner_that_has_threads_already_is_not_half_restricted() -> None:
    done = subprocess.run([sys.executable, "-c", THREADS], capture_output=True, text=True, timeout=60)
    said = "threads that exist already would not be restricted"
    assert (done.stdout.strip(), done.returncode) == (said, 0), done.stderr
