"""The rights that remain to a restricted process."""

import subprocess
import sys

import pytest
from gpucluster.operating_system import landlock

PROGRAM = """
import os, pathlib, signal, subprocess, sys
from gpucluster.operating_system.landlock import restrict
own, other, closed = (pathlib.Path(word) for word in sys.argv[1:4])
pid = int(sys.argv[4])
assert restrict(writable=[own, pathlib.Path("/dev/null")], unreadable=[closed], unlisted=[closed], scoped=True)

def may(step):
    try:
        step()
    except OSError:
        return False
    return True

print(
    may(lambda: (own / "x").write_text("x")), may(lambda: (own / "y").mkdir()),
    may(lambda: open("/dev/null", "w").close()),
    may(lambda: (other / "file").read_text()), may(lambda: __import__("decimal")), may(lambda: os.listdir(closed)),
    may(lambda: (other / "file").write_text("x")), may(lambda: (other / "file").unlink()),
    may(lambda: (other / "n").mkdir()),
    may(lambda: (closed / "file").read_text()), may(lambda: os.rename(other / "file", own / "z")),
    subprocess.run(["cat", str(closed / "file")], stderr=subprocess.DEVNULL).returncode == 0,
    subprocess.run(["rm", str(other / "file")], stderr=subprocess.DEVNULL).returncode == 0,
)
print(may(lambda: os.kill(pid, signal.SIGTERM)))
"""


UNLISTED = """
import os, pathlib, sys
from gpucluster.operating_system import landlock
own, above = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
listdir = os.listdir

def closed(folder):
    if pathlib.Path(folder) == above:
        raise PermissionError(13, "closed")
    return listdir(folder)

os.listdir = closed
closed = [above / "inner" / "closed", own / "closed"]
assert landlock.not_closable(closed) == closed[:1]
assert landlock.restrict(writable=[own], unreadable=closed)
os.listdir = listdir
import decimal
(above / "inner" / "closed" / "file").read_text()
try:
    (own / "closed" / "file").read_text()
except PermissionError:
    print("the other one is closed")
"""


@pytest.mark.skipif(landlock.version() < 1, reason="this kernel has no Landlock")
def test_unlistable_folder_is_tolerated(tmp_path):
    for place in (tmp_path / "above" / "inner" / "closed", tmp_path / "own" / "closed"):
        place.mkdir(parents=True)
        (place / "file").write_text("secret", encoding="utf-8")
    command = [sys.executable, "-c", UNLISTED, str(tmp_path / "own"), str(tmp_path / "above")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.returncode) == ("the other one is closed", 0), done.stderr


LINKED = """
import pathlib, sys
from gpucluster.operating_system.landlock import restrict
course = pathlib.Path(sys.argv[1])
assert restrict(writable=[], unreadable=[course / "submissions"])
print((course / "open").read_text())
for name in ("bob/file", "latest/file", "one", "all/bob/file", "up/submissions/bob/file"):
    place = course / ("submissions/bob/file" if name == "bob/file" else name)
    try:
        print(name, place.read_text())
    except PermissionError:
        pass
"""


@pytest.mark.skipif(landlock.version() < 1, reason="this kernel has no Landlock")
def test_links_open_nothing_that_is_closed(tmp_path):
    course = tmp_path / "course"
    (course / "submissions" / "bob").mkdir(parents=True)
    (course / "submissions" / "bob" / "file").write_text("secret", encoding="utf-8")
    (tmp_path / "beside").mkdir()
    (tmp_path / "beside" / "file").write_text("open to all", encoding="utf-8")
    links = {
        "latest": "submissions/bob", "one": "submissions/bob/file", "all": "submissions", "up": "../course",
        "open": "../beside/file", "loop": "loop", "nowhere": "gone",
    }  # fmt: skip
    for name, target in links.items():
        (course / name).symlink_to(target)
    done = subprocess.run([sys.executable, "-c", LINKED, str(course)], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.returncode) == ("open to all", 0), done.stderr


@pytest.mark.skipif(landlock.version() < 3, reason="this kernel has no Landlock, or an old one")
def test_restriction_covers_children(tmp_path):
    for name in ("own", "other", "closed"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("secret", encoding="utf-8")
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        words = [str(tmp_path / name) for name in ("own", "other", "closed")]
        command = [sys.executable, "-c", PROGRAM, *words, str(sleeper.pid)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        allowed, signalled = done.stdout.splitlines()
        assert allowed.split() == ["True"] * 5 + ["False"] * 8
        if landlock.version() >= 6:
            assert signalled == "False"
            assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()
    assert (tmp_path / "other" / "file").read_text(encoding="utf-8") == "secret"
