"""The registry's directory is checked to be private before it is read or written."""

import errno
import json
import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from gpucluster.client.control import AsyncControl
from gpucluster.protocol.errors import RegistryUnsafe
from gpucluster.registry.directory import default_directory, secure_directory, write_private
from gpucluster.registry.store import Registry

root_only = pytest.mark.skipif(os.getuid() != 0, reason="only root can change an owner")


@pytest.fixture
def place() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="gpc", dir="/tmp"))
    yield made
    shutil.rmtree(made)


def test_new_directory_is_private_for_any_umask(place):
    before = os.umask(0)
    try:
        made = secure_directory(place / "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o750, 0o755, 0o777, 0o1777])
def test_a_directory_open_to_others_is_refused(place, mode):
    place.chmod(mode)
    advice = "Set" if mode & 0o022 else f"Run: chmod 700 {place}. Or set"
    with pytest.raises(RegistryUnsafe, match=f"is open to other users. {advice} GPUCLUSTER_DIR"):
        Registry(place)


@root_only
def test_directory_of_another_user_is_refused(place):
    os.chown(place, 65534, 65534)
    with pytest.raises(RegistryUnsafe, match="belongs to another user, nobody. Set"):  # words: ok
        Registry(place)


def test_link_to_private_directory_is_refused(place):
    (place / "real").mkdir(mode=0o700)
    (place / "link").symlink_to(place / "real")
    with pytest.raises(RegistryUnsafe, match="is not a directory"):
        Registry(place / "link")


def test_file_in_place_of_directory_is_named(place):
    way = place / "clusters"
    for make, what in (
        (lambda: way.touch(mode=0o700), "A file"),
        (lambda: os.mkfifo(way), "A pipe"),
        (lambda: way.symlink_to(place / "nowhere"), "A link"),
    ):
        make()
        with pytest.raises(RegistryUnsafe) as refused:
            Registry(way)
        assert refused.value.message == (
            f"{what} (yours) is at {way}, where gpucluster keeps your clusters: it is not a directory. Move it away, "
            "or set GPUCLUSTER_DIR to a directory that only you can enter."
        )
        way.unlink()


@root_only
def test_foreign_file_in_place_of_directory_is_named(place):
    (place / "clusters").touch()
    os.chown(place / "clusters", 65534, 65534)
    message = r"A file \(of the user nobody\) is at .* Ask its owner to remove it, or"  # words: ok
    with pytest.raises(RegistryUnsafe, match=message):
        Registry(place / "clusters")


def test_too_long_path_is_refused(place):
    with pytest.raises(RegistryUnsafe, match="too long for unix sockets; set GPUCLUSTER_DIR to a shorter one"):
        Registry(place / ("x" * 90))
    assert not list(place.iterdir())


def test_uncreatable_directory_is_refused(place):
    with pytest.raises(RegistryUnsafe, match="cannot be created"):
        Registry(place / "missing" / "parent")


@pytest.mark.parametrize(("mode", "safe"), [(0o777, False), (0o770, False), (0o1777, True), (0o755, True)])
def test_replaceable_place_is_refused(place, mode, safe):
    place.chmod(mode)
    if safe:
        assert secure_directory(place / "clusters").is_dir()
    else:
        with pytest.raises(RegistryUnsafe, match="could replace"):
            secure_directory(place / "clusters")
        assert not (place / "clusters").exists(), "nothing was made"


@root_only
@pytest.mark.parametrize("where", ["of another user", "in a folder of another user", "behind a link of mine"])
def test_path_through_foreign_link_is_refused(place, where):
    """Its owner could redirect sockets and results at any time."""
    place.chmod(0o1777)
    (place / "home").mkdir(mode=0o700)
    (place / "theirs").mkdir(mode=0o755)
    link = place / "theirs" / "link" if where == "in a folder of another user" else place / "link"
    link.symlink_to(place / "home")
    if where == "in a folder of another user":
        os.chown(place / "theirs", 65534, 65534)
    else:
        os.chown(link, 65534, 65534, follow_symlinks=False)
    way = link
    if where == "behind a link of mine":
        way = place / "mine"
        way.symlink_to(link)
    with pytest.raises(RegistryUnsafe, match="could replace"):
        secure_directory(way / "clusters")
    assert not list((place / "home").iterdir())


def test_path_through_own_link_is_accepted(place):
    (place / "home").mkdir(mode=0o700)
    (place / "link").symlink_to("home")
    assert secure_directory(place / "link" / "clusters").is_dir()


def test_the_control_refuses_as_the_registry_does(place, monkeypatch):
    place.chmod(0o755)
    monkeypatch.setenv("GPUCLUSTER_DIR", str(place))
    with pytest.raises(RegistryUnsafe):
        AsyncControl()


def test_default_directory_is_one_per_user(monkeypatch):
    monkeypatch.delenv("GPUCLUSTER_DIR", raising=False)
    monkeypatch.setenv("TMPDIR", "/somewhere")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/elsewhere")
    assert default_directory() == Path(f"/tmp/gpucluster-{os.getuid()}")


@pytest.mark.parametrize("chosen", ["clusters", "./clusters", "~/clusters"])
def test_relative_directory_is_refused(monkeypatch, chosen):
    monkeypatch.setenv("GPUCLUSTER_DIR", chosen)
    with pytest.raises(
        RegistryUnsafe, match=r"depends on the current directory: set it to a path that begins with '/'"
    ):
        default_directory()


def test_write_private_replaces_link(place):
    elsewhere = place / "elsewhere"
    elsewhere.write_text("theirs")
    (place / "state.json").symlink_to(elsewhere)
    write_private(place / "state.json", "ours")
    assert (place / "state.json").read_text() == "ours"
    assert stat.S_IMODE((place / "state.json").lstat().st_mode) == 0o600
    assert elsewhere.read_text() == "theirs"


def test_failed_write_leaves_old_content(place):
    target = place / "state.json"
    write_private(target, "old")
    with pytest.raises(UnicodeEncodeError):
        write_private(target, "new \ud800")
    assert target.read_text() == "old"
    assert list(place.iterdir()) == [target]


def test_readers_see_whole_records(place):
    target = place / "state.json"
    contents = [json.dumps({"writer": number, "filler": "x" * (200_000 * (number + 1))}) for number in range(3)]
    write_private(target, contents[0])
    stop = time.monotonic() + 1.5
    trouble: list[BaseException] = []

    def write(content: str) -> None:
        try:
            while time.monotonic() < stop:
                write_private(target, content)
        except BaseException as error:
            trouble.append(error)

    writers = [threading.Thread(target=write, args=(content,)) for content in contents]
    for writer in writers:
        writer.start()
    reads = 0
    while time.monotonic() < stop:
        assert target.read_text() in contents
        reads += 1
    for writer in writers:
        writer.join()
    assert not trouble
    assert reads > 10
    assert list(place.iterdir()) == [target]


def test_lazy_registry_checks_until_private(place):
    (place / "clusters").mkdir(mode=0o755)
    registry = Registry(place / "clusters", later=True)
    for use in (registry.list, lambda: registry.find("a"), lambda: registry.folder("0000000a"), registry.new_folder):
        with pytest.raises(RegistryUnsafe, match="is open to other users"):
            use()
    (place / "clusters").chmod(0o700)
    assert registry.list() == []


def test_directory_opened_later_is_refused(place):
    registry = Registry(place / "clusters")
    folder, held = registry.new_folder()
    os.close(held)
    (place / "clusters").chmod(0o755)
    for use in (registry.list, registry.check_directory, lambda: registry.find("a"), registry.exclusive().__enter__):
        with pytest.raises(RegistryUnsafe, match=f"is open to other users. Run: chmod 700 {place / 'clusters'}"):
            use()
    # A process that already runs there can still write why it ends.
    assert Registry(place / "clusters", later=True, proved=True).folder(folder.id).path == folder.path
    (place / "clusters").chmod(0o700)
    assert registry.list() == []
    with registry.exclusive():
        pass


def test_a_full_disk_is_named(place, monkeypatch):
    def full(path: Path, **options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "mkdir", full)
    with pytest.raises(
        RegistryUnsafe, match=r"cannot be created \(No space left on device\); free some space there, or"
    ):
        secure_directory(place / "clusters")
