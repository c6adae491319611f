"""Sockets with a long path or none, their peers, files of other users, and programs that leave no process behind."""

import os
import resource
import signal
import socket
import struct
import sys
from pathlib import Path

import psutil
import pytest
from gpucluster.operating_system import files, sockets
from gpucluster.operating_system.contained import contained
from gpucluster.operating_system.files import NotPlain, read_own_file, read_plain_file


@pytest.fixture
def long_path(tmp_path):
    folder = tmp_path / ("x" * 120)
    folder.mkdir()
    return folder / "socket"


@pytest.mark.linux("/proc/self/fd")
def test_socket_with_long_path_and_without_name(long_path):
    before = set(os.listdir("/dev/fd"))
    with socket.socket(socket.AF_UNIX) as listener:
        with files.short_address(str(long_path)) as address:
            listener.bind(address)
        listener.listen()
        assert long_path.is_socket()
        with files.short_address(str(long_path)) as address:
            hidden = files.without_name(address)
        assert not long_path.exists()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(hidden)
        os.close(int(hidden.rpartition("/")[2]))
    assert set(os.listdir("/dev/fd")) == before


def test_elsewhere_a_long_path_is_refused(long_path, monkeypatch):
    monkeypatch.setattr(files, "LINUX", False)
    with pytest.raises(OSError, match="too long"), files.short_address(str(long_path)):
        pass
    with files.short_address("/tmp/s") as address:
        assert address == "/tmp/s"


@pytest.mark.parametrize(
    ("limits", "taken"),
    [((256, 4096), 4096), ((256, resource.RLIM_INFINITY), 10_240), ((20_000, 20_000), 20_000), ((256, 256), 256)],
)
def test_open_file_limit_is_raised(limits, taken, monkeypatch):
    """macOS reports no limit and refuses more than 10,240."""
    now = [limits[0]]

    def set_limit(_: int, wanted: tuple[int, int]) -> None:
        if wanted[1] != limits[1] or wanted[0] == resource.RLIM_INFINITY or 0 <= limits[1] < wanted[0]:
            raise ValueError("not allowed")
        now[0] = wanted[0]

    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", set_limit)
    files.allow_many_files()
    assert now == [taken]


@pytest.mark.linux("SO_PEERCRED")
def test_peer_is_identified():
    one, other = socket.socketpair()
    with one, other:
        assert sockets.peer_of(one) == (os.getpid(), os.getuid())


def test_unknown_owner_gives_no_hint(monkeypatch):
    """Linux has no ``LOCAL_PEERCRED`` and so answers like an unknown system."""
    monkeypatch.setattr(sockets, "LINUX", False)
    one, other = socket.socketpair()
    with one, other:
        assert sockets.peer_of(one)[1] in {None, os.getuid()}
        assert sockets.peer_of(one)[0] in {None, os.getpid()}


def test_macos_credentials_are_read():
    packed = struct.pack("=IIh2x16I", 0, 501, 2, 20, 12, *[0] * 14)
    assert len(packed) == sockets.XUCRED_BYTES
    assert sockets.user_in(packed) == 501
    assert sockets.user_in(struct.pack("=I", 1) + packed[4:]) is None, "another version may have other fields"


def open_files() -> set[str]:
    return set(os.listdir("/dev/fd"))


def test_plain_file_is_read_up_to_limit(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_plain_file(file, 5) == read_plain_file(file, 5, below=tmp_path) == b"12345"
    file.write_bytes(b"1" * (2**20 + 1))
    with pytest.raises(NotPlain, match=r"is larger than 1 MiB"):
        read_plain_file(file, 2**20)
    with pytest.raises(NotPlain, match=r"is larger than 2 KiB"):
        read_plain_file(file, 2**11)


def test_own_file_is_read_while_python_exits(tmp_path, monkeypatch):
    """By then the names that were added to ``builtins`` are gone."""
    (tmp_path / "state.json").write_text("{}")
    with monkeypatch.context() as patched:
        patched.delattr("builtins.open")
        content = read_own_file(tmp_path / "state.json")
    assert content == b"{}"


def test_special_files_do_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    before = open_files()
    for path in (tmp_path / "pipe", tmp_path / "folder", Path("/dev/zero")):
        for below in (None, path.parent):
            with pytest.raises(NotPlain, match="is not a plain file"):
                read_plain_file(path, 10, below=below)
    with pytest.raises(FileNotFoundError):
        read_plain_file(tmp_path / "missing", 10)
    assert open_files() == before


def test_links_are_followed_above_folder_only(tmp_path):
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "real" / "inner" / "file").write_text("x", encoding="utf-8")
    (tmp_path / "real" / "link").symlink_to(tmp_path / "real" / "inner" / "file")
    (tmp_path / "real" / "way").symlink_to(tmp_path / "real" / "inner")
    (tmp_path / "above").symlink_to(tmp_path / "real")
    for path in ("above/inner/file", "real/link", "real/way/file"):
        assert read_plain_file(tmp_path / path, 10) == b"x"
    root = tmp_path / "above"  # itself a link made by the owner of the machine
    assert read_plain_file(root / "inner" / "file", 10, below=root) == b"x"
    with pytest.raises(NotPlain, match=r"^is a link$"):
        read_plain_file(root / "link", 10, below=root)
    with pytest.raises(NotPlain, match="is a link, or is behind one"):
        read_plain_file(root / "way" / "file", 10, below=root)


ESCAPE = "env -i setsid sh -c 'echo $$ > {0}.new; mv {0}.new {0}; exec sleep 4245' & "


def is_gone(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.processes
@pytest.mark.linux("adopts orphans")
def test_contained_program_behaves_like_command():
    import subprocess

    done = subprocess.run(contained("sh", "-c", "cat; echo said >&2; exit 3"), input=b"told ", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (3, b"told ", b"said\n")
    assert subprocess.run(contained("sh", "-c", "kill -9 $$")).returncode == -signal.SIGKILL
    done = subprocess.run(contained("/no/such/program"), capture_output=True)
    assert (done.returncode, done.stderr) == (127, b"No such file or directory\n")


@pytest.mark.processes
@pytest.mark.linux("adopts orphans")
def test_what_it_leaves_ends_with_it(tmp_path):
    import subprocess

    file = tmp_path / "pid"
    script = ESCAPE.format(file) + f"until [ -e {file} ]; do sleep 0.01; done; exit 5"
    # A process that keeps the pipe open would keep its reader waiting.
    done = subprocess.run(contained("sh", "-c", script), capture_output=True, timeout=60)
    assert done.returncode == 5, done.stderr
    assert is_gone(int(file.read_text()))


@pytest.mark.processes
@pytest.mark.linux("adopts orphans")
@pytest.mark.parametrize("trap", ["", "trap '' TERM; "], ids=["polite", "deaf"])
def test_ending_contained_program_ends_all(tmp_path, wait_until, trap):
    import subprocess

    file = tmp_path / "pid"
    command = contained("sh", "-c", f"{trap}{ESCAPE.format(file)} wait; sleep 4246", seconds=0.2)
    with subprocess.Popen(command) as running:
        wait_until(file.exists)
        running.terminate()
        running.wait(60)
    assert is_gone(int(file.read_text()))


@pytest.mark.processes
@pytest.mark.linux("adopts orphans")
def test_contained_program_ends_with_its_parent(tmp_path, wait_until):
    import subprocess

    file = tmp_path / "pid"
    command = contained("sh", "-c", f"{ESCAPE.format(file)} wait")
    starter = f"import subprocess, time; subprocess.Popen({command!r}, start_new_session=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", starter]) as starting:
        wait_until(file.exists)
        os.kill(starting.pid, signal.SIGKILL)
    wait_until(lambda: is_gone(int(file.read_text())))


PARENT = """
import os, subprocess, sys
from gpucluster.operating_system import end_descendants

os.setsid()
end_descendants.start()
stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
child = subprocess.Popen([sys.executable, "-c", stubborn], stdout=subprocess.PIPE)
child.stdout.readline()
orphans = []
for session, environment in ((False, {}), (True, dict(os.environ))):
    # Its own parent ends at once, so we never see it below us.
    code = (
        "import subprocess, sys\\n"
        f"p = subprocess.Popen(['sleep', '600'], start_new_session={session}, stdout=-3, stderr=-3)\\n"
        "p.returncode = 0; print(p.pid, flush=True)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    orphans.append(int(done.stdout))
print(end_descendants.started(), child.pid, *orphans, flush=True)
sys.stdin.readline()
os._exit(0)
"""


@pytest.mark.processes
@pytest.mark.parametrize("killed", [True, False], ids=["killed", "ended"])
def test_nothing_is_left(killed, wait_until):
    """Neither a child that ignores signals, nor an orphan in our session, nor one in its own session."""
    import subprocess

    stranger = subprocess.Popen(["sleep", "600"])
    with subprocess.Popen([sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdin is not None and parent.stdout is not None
        below = [psutil.Process(int(word)) for word in parent.stdout.readline().split()]
        assert len(below) == 4 and all(process.is_running() for process in below)
        if killed:
            parent.send_signal(signal.SIGKILL)
        else:
            parent.stdin.write(b"\n")
    wait_until(lambda: not [p for p in below if p.is_running() and p.status() != psutil.STATUS_ZOMBIE], what=below)
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()
