"""Installs packages of tests into a folder for PYTHONPATH, without network."""

import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parent / "gpucluster_subprocess"


def install(target: Path, source: Path = PACKAGE) -> Path:
    """Build a package with the build backend of this environment, install it into a folder, and return the folder.

    Only processes with the folder on PYTHONPATH know the package: a Jupyter server, kernels and supervisors alike.
    """
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    command += ["--disable-pip-version-check", "--no-cache-dir", "--target", str(target), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return target


def offer(target: Path, name: str, module: str, *, package: str | None = None, kind: str = "gone:Gone") -> Path:
    """Install a package that offers a kind of cluster: one module, which may be broken, as its entry point names it."""
    package = package or f"gpucluster-{name}"
    (target / f"{kind.partition(':')[0]}.py").write_text(module)
    info = target / f"{package.replace('-', '_')}-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 0.1\n")
    (info / "entry_points.txt").write_text(f"[gpucluster.backends]\n{name} = {kind}\n")
    return target
