"""What a sandbox with its own mount namespace shows of the file system, all of it read-only.

The system's programs and libraries, this Python with its packages, and nothing of anybody's home.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = (
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "timezone", "alternatives", "fonts", "nsswitch.conf",
    "protocols", "services", "mime.types", "OpenCL", "vulkan", "ssl/certs", "ssl/openssl.cnf",
)  # fmt: skip
_HARDWARE = ("/sys/devices/system", "/sys/fs/cgroup")
"""How many processors and how much memory there are."""
_PACKAGE = Path(__file__).resolve().parents[4]


def links() -> dict[Path, str]:
    """Return the links of the system's root, such as ``/bin`` to ``usr/bin``, with what they lead to."""
    return {Path(name): os.readlink(name) for name in _SYSTEM if os.path.islink(name)}


def system() -> list[Path]:
    """Return the folders and files of the system, without what an account has written."""
    folders = [Path(name) for name in _SYSTEM if os.path.isdir(name) and not os.path.islink(name)]
    settings = [Path("/etc", name) for name in _SETTINGS]
    hardware = [Path("/sys")] if graphics() else [Path(name) for name in _HARDWARE]
    return [path for path in (*folders, *settings, *hardware) if path.exists()]


def graphics() -> list[Path]:
    """Return the devices of graphics processors."""
    return sorted(Path("/dev").glob("nvidia*"))


def of_python() -> list[Path]:
    """Return the folders that this Python needs.

    Raises
    ------
    ValueError
        When one of them is a home folder, or holds home folders: then it cannot be shown.
    """
    needed = [Path(sys.prefix), Path(sys.base_prefix), Path(sys.exec_prefix), _PACKAGE]
    for folder in needed:
        if _holds_a_home(folder):
            raise ValueError(f"Python's own folder {folder} is your home folder, or holds it")
    found = [Path(entry) for entry in sys.path if entry] + [Path(entry) for entry in _library_path()] + _loaded()
    return _without_covered([*needed, *(folder for folder in found if folder.is_dir() and not _holds_a_home(folder))])


def masked(shown: Iterable[Path], closed: Iterable[Path]) -> list[Path]:
    """Return which of the closed folders and files lie in what is shown, and have to be covered."""
    shown = [path.resolve() for path in shown]
    places = {path.resolve() for path in closed}
    return sorted(path for path in places if path.exists() and any(path.is_relative_to(folder) for folder in shown))


def _library_path() -> list[str]:
    return [entry for entry in os.environ.get("LD_LIBRARY_PATH", "").split(":") if entry]


def _loaded() -> list[Path]:
    """Folders of the libraries that this process has loaded: they may lie beside Python's own."""
    found: dict[Path, None] = {}
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        for line in file:
            place = line.partition("/")[1:]
            if place[0] and ".so" in place[1]:
                found[Path("/" + place[1].strip()).parent] = None
    return list(found)


def _holds_a_home(folder: Path) -> bool:
    homes = {Path.home().resolve(), Path("/root"), Path("/home")}
    return folder.resolve() == Path("/") or any(home.is_relative_to(folder.resolve()) for home in homes)


def _without_covered(folders: Iterable[Path]) -> list[Path]:
    """Leave out what lies in another one, or in the system; the others in an order in which nothing is covered."""
    kept: list[Path] = []
    for folder in sorted({Path(os.path.abspath(folder)) for folder in folders}):
        above = [Path(name) for name in _SYSTEM] + kept
        if not any(folder.is_relative_to(one) for one in above):
            kept.append(folder)
    return kept
