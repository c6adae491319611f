"""The wheel in the oldest JupyterLab and Notebook, with the oldest server, and on a newer Python."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        return runpy.run_path(str(ROOT / "scripts/try_installs.py"))


def test_versions_are_those_that_are_imported(script, tmp_path, monkeypatch):
    for folder, version in (("above", "4.2.0"), ("below", "4.6.6")):
        metadata = tmp_path / folder / f"jupyterlab-{version}.dist-info" / "METADATA"
        metadata.parent.mkdir(parents=True)
        metadata.write_text(f"Metadata-Version: 2.1\nName: jupyterlab\nVersion: {version}\n")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path / 'above'}:{tmp_path / 'below'}")
    assert script["versions"](Path(sys.executable))["jupyterlab"] == "4.2.0"


def newer_python() -> str:
    """The newest Python here that is newer than the one that runs the tests."""
    for minor in range(15, sys.version_info.minor, -1):
        name = f"python3.{minor}"
        if shutil.which(name) and subprocess.run([name, "-c", "import venv"], capture_output=True).returncode == 0:
            return name
    pytest.skip("needs a newer Python beside this one")


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", ["lab-4.2.0", "notebook-7.2.0", "a newer Python"])
def test_the_wheel_works_at_the_corners_of_the_table(name, wheel):
    """Other tests in a browser use the newest JupyterLab and Notebook."""
    pytest.importorskip("playwright.sync_api", reason="needs the package 'playwright'")
    name = newer_python() if name == "a newer Python" else name
    command = [sys.executable, "scripts/try_installs.py", "--check", "--wheel", str(wheel), name]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=800)
    if "No matching distribution" in answer.stderr:
        pytest.skip("needs a package index")
    assert answer.returncode == 0, answer.stdout + answer.stderr
