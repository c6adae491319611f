"""A wheel built from tracked files only and installed without Node."""

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Run = Callable[..., str]

ROOT = Path(__file__).parents[2]
FILES_OF_THE_WHEEL = (
    "pyproject.toml", "package.json", "yarn.lock", "install.json", "jupyter-config", "labextension", "tests/packaging"
)  # fmt: skip
LARGEST_PANEL = 90_000
LARGEST_STRIP = 8_000  # Lines below cells are a script of their own: only notebooks need it, after the panel.
LARGEST_SHEET = 11_000
pytestmark = [pytest.mark.timeout(600), pytest.mark.full]


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory, run) -> Iterator[tuple[Path, dict[str, str]]]:
    """An environment with the wheel and its dependencies, and a PATH without Node."""
    venv = tmp_path_factory.mktemp("wheel") / "venv"
    registry = Path(tempfile.mkdtemp(prefix="gpc", dir="/tmp"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON"))}
    environment |= {"PATH": f"{venv}/bin:/bin", "GPUCLUSTER_DIR": str(registry), "HOME": str(venv.parent)}
    environment["JUPYTER_PLATFORM_DIRS"] = "0"
    run(sys.executable, "-m", "venv", venv, cwd=venv.parent, environment=environment)
    if shutil.which("node", path=environment["PATH"]):
        environment["PATH"] = f"{venv}/bin"
    assert shutil.which("node", path=environment["PATH"]) is None
    # The dependencies come from the environment that runs the tests; gpucluster itself from the wheel.
    site = Path(sysconfig.get_path("purelib", vars={"base": str(venv), "platbase": str(venv)}))
    run(venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel,
        cwd=venv.parent, environment=environment)  # fmt: skip
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    yield venv, environment
    shutil.rmtree(registry, ignore_errors=True)


def test_wheel_contents(wheel):
    """A development build would contain source maps and paths of the machine."""
    texts = contents(wheel)
    names = list(texts)
    share = "data/share/jupyter/labextensions/gpucluster/"
    assert any(name.endswith(share + "package.json") for name in names)
    assert any(share + "static/remoteEntry" in name for name in names)
    assert any(name.endswith("data/etc/jupyter/jupyter_server_config.d/gpucluster.json") for name in names)
    for name in ("06-kmeans.ipynb", "06-kmeans-solution.ipynb", "sheet.json", "quiz.json", "lesson.py"):
        assert f"gpucluster/lessons/notebooks/06-kmeans/{name}" in names
    assert "gpucluster/lessons/course/lesson_06_kmeans/checks.py" in names
    assert not [name for name in names if "/answers/" in name]
    views = texts["gpucluster/widgets/static/widgets.js"]
    assert b"export{" in views, "the notebook widgets' views are one minified ES module"
    assert b"import" + b'"' not in views and b"from" + b'"' not in views, "which loads nothing else"
    assert b".gpc-Gauges" in texts["gpucluster/widgets/static/widgets.css"]
    assert any(name.endswith("gpucluster/py.typed") for name in names)
    flights = "gpucluster/datasets/nycflights13/"
    manifest = json.loads(texts[flights + "manifest.json"])
    for table, facts in manifest["tables"].items():
        assert hashlib.sha256(texts[f"{flights}{table}.parquet"]).hexdigest() == facts["sha256"], table
    assert b"CC0" in texts[flights + "README.md"]
    assert not [name for name in names if name.endswith((".map", "build_log.json"))]
    root = str(ROOT).encode()
    assert not [name for name, text in texts.items() if root in text]


def test_source_archive_has_what_git_tracks_and_what_is_built(wheel):
    """With node_modules it would be larger than package indexes take."""
    [archive] = wheel.parent.glob("*.tar.gz")
    with tarfile.open(archive) as members:
        names = {member.name.partition("/")[2] for member in members if member.isfile()}
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    assert {name for name in tracked.decode().split("\0") if (ROOT / name).is_file()} <= names
    built = names - set(tracked.decode().split("\0")) - {"PKG-INFO", "py_src/gpucluster/_version.py"}
    assert {name.split("/")[2] for name in built if name.startswith("py_src/")} == {
        "labextension",
        "lessons",
        "widgets",
    }
    assert all(name.startswith("py_src/") for name in built)


def test_builds_are_reproducible(wheel, source, run, build_environment):
    """The panel's module ids must not contain paths, nor the archive its build time."""
    folder = source("another-folder-with-a-longer-name")
    run("jlpm", "build:prod", cwd=folder, environment=build_environment)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", cwd=folder, environment=build_environment)
    (again,) = (folder / "dist").glob("*.whl")
    first, second = contents(wheel), contents(again)
    assert {name for name in first | second if first.get(name) != second.get(name)} == set()
    assert (again.name, again.read_bytes()) == (wheel.name, wheel.read_bytes())


def test_the_licences_of_all_that_the_panel_holds_are_named(wheel):
    (text,) = [text for name, text in contents(wheel).items() if name.endswith("third-party-licenses.json")]
    packages = json.loads(text)["packages"]
    page = (ROOT / "docs/licences.md").read_text()
    assert {package["name"] for package in packages} == {"react-dom"}
    for package in packages:
        assert package["name"] in page, package
        assert package["licenseId"] == "MIT" and len(package["extractedText"]) > 500, package


def test_the_panel_is_small_enough(wheel):
    share = "labextensions/gpucluster/static/"
    built = {name: text for name, text in contents(wheel).items() if share in name}
    scripts = [text for name, text in built.items() if name.endswith(".js")]
    [strip] = [text for text in scripts if b"gpc-CellStrip" in text]
    sizes = {text: len(gzip.compress(text, 9)) for text in scripts}
    assert sizes[strip] <= LARGEST_STRIP, f"the script of the lines below cells is {sizes[strip]:,} bytes, gzip"
    size = sum(sizes.values()) - sizes[strip]
    assert size <= LARGEST_PANEL, f"the panel's JavaScript is {size:,} bytes, gzip"
    (sheet,) = [name for name in built if name.endswith(".css")]
    assert b".gpc-ClusterCard" in built[sheet], "the style sheet is a separate file"
    assert not any(b".gpc-ClusterCard{" in text for text in scripts)
    named = sheet.split(share)[1].encode()
    assert any(named in text for text in scripts), f"nothing loads {sheet}"
    packed = len(gzip.compress(built[sheet], 9))
    assert packed <= LARGEST_SHEET, f"the panel's style sheet is {packed:,} bytes, gzip"


def test_installed_wheel_runs_a_cluster_without_node(installed, run):
    """Both extensions are found and enabled, and the command line makes and stops a cluster."""
    venv, environment = installed
    where = run(venv / "bin/python", "-c", "import gpucluster; print(gpucluster.__file__)",
                cwd=venv.parent, environment=environment)  # fmt: skip
    assert where.startswith(str(venv)), where
    panels = run(venv / "bin/python", "-m", "jupyterlab.labextensions", "list",
                 cwd=venv.parent, environment=environment)  # fmt: skip
    assert any("gpucluster" in line and "enabled" in line and "OK" in line for line in panels.splitlines()), panels
    servers = run(venv / "bin/python", "-m", "jupyter_server.extension.serverextension", "list",
                  cwd=venv.parent, environment=environment)  # fmt: skip
    assert "gpucluster" in servers and "OK" in servers

    command = venv / "bin/gpucluster"
    try:
        created = json.loads(run(command, "create", "--name", "w", "--backend", "local", "--n-workers", "2", "--json",
                                 cwd=venv.parent, environment=environment))  # fmt: skip
        assert (created["state"], created["n_workers"], created["name"]) == ("running", 2, "w")
    finally:
        stopped = json.loads(run(command, "stop", "w", "--json", cwd=venv.parent, environment=environment))
    assert stopped["state"] == "stopped"


def newer(wheel: Path, folder: Path) -> Path:
    """Return the next release, with another protocol, in that folder."""
    old = wheel.name.split("-")[1]
    new = f"{old}.post1"
    version = "gpucluster/protocol/version.py"
    texts = {name.replace(f"-{old}", f"-{new}"): text for name, text in contents(wheel).items()}
    texts[version] = re.sub(rb"(?m)^PROTOCOL_VERSION = .*$", b"PROTOCOL_VERSION = 9999", texts[version])
    info = f"gpucluster-{new}.dist-info/"
    texts[info + "METADATA"] = texts[info + "METADATA"].replace(
        f"\nVersion: {old}".encode(), f"\nVersion: {new}".encode()
    )
    texts[info + "RECORD"] = "".join(f"{name},,\n" for name in texts).encode()
    made = folder / wheel.name.replace(old, new)
    with zipfile.ZipFile(made, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    return made


def test_upgrade_while_a_cluster_runs_is_reported(installed, wheel, tmp_path, run):
    """The earlier cluster is listed and can be stopped; other requests are refused with the reason."""
    venv, environment = installed
    command, python = venv / "bin/gpucluster", venv / "bin/python"

    def refused(*words: str | Path) -> str:
        answer = subprocess.run([*words], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
        assert answer.returncode != 0, answer.stdout
        return answer.stderr

    run(command, "create", "--name", "before", "--backend", "local", "--n-workers", "1",
        cwd=tmp_path, environment=environment)  # fmt: skip
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", newer(wheel, tmp_path),
        cwd=tmp_path, environment=environment)  # fmt: skip
    try:
        assert "another version of gpucluster (protocol" in run(command, "list", cwd=tmp_path, environment=environment)
        for verb in (("scale", "before", "2"), ("restart", "before"), ("gauges", "before", "--json")):
            said = refused(command, *verb)
            assert "version of gpucluster" in said and "Traceback" not in said, said
        said = refused(python, "-c", "import gpucluster; gpucluster.connect('before').get_client()")
        assert "version of gpucluster" in said.splitlines()[-1], said
    finally:
        stopped = json.loads(run(command, "stop", "before", "--json", cwd=tmp_path, environment=environment))
    assert stopped["state"] == "stopped"


def test_uninstall_leaves_no_file(installed, run):
    venv, environment = installed
    run(venv / "bin/python", "-m", "pip", "uninstall", "--quiet", "--yes", "gpucluster",
        cwd=venv.parent, environment=environment)  # fmt: skip
    assert [path for path in venv.rglob("*") if "gpucluster" in str(path.relative_to(venv))] == []
