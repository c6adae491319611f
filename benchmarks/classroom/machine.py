"""The machine of the class: GPUs that exist in a text file, one Python for everybody, and the site's file."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "fakes"))

from nvml.machine import FakeMachine, compile_libraries, gpu  # noqa: E402

SERVER_EXTENSIONS = (
    "dask_labextension", "gpucluster", "jupyter-lsp-jupyter-server", "jupyter-server-proxy",
    "jupyter_server_terminals", "jupyterlab", "notebook_shim",
)  # fmt: skip
"""What an installation of gpucluster brings along; the environment of the tests has more."""
SITE = """title: The class
defaults:
  all:
    idle_timeout_seconds: 1200
limits:
  all:
    kinds: [auto, local, cuda]
  cuda:
    threads_per_worker: 1
sharing:
  slots_per_gpu: {slots}
  per_user:
    clusters: 3
    gpus: 1
    walltime: 04:00:00
"""


class Machine:
    """What all of the class share.

    Parameters
    ----------
    folder : Path
        Root's, which everybody may enter.
    gpus, slots : int
        How many GPUs, and slots of each.
    """

    def __init__(self, folder: Path, gpus: int, slots: int) -> None:
        self.folder = folder
        self.gpus = gpus
        self.slots = gpus * slots
        self._fake = FakeMachine(compile_libraries(folder), folder / "machine.txt")
        self.change()
        self.python = self._join_environments()
        self._site = folder / "site.yaml"
        self._site.write_text(SITE.format(slots=slots))
        self.shared = folder / "shared"
        self.shared.mkdir()
        self.shared.chmod(0o1777)

    def change(self) -> None:
        """Let the GPUs have new figures, as those that are used do."""
        self._fake.write(
            [
                gpu(
                    number, total=81920, used=random.randrange(2000, 60000), util=random.randrange(100),
                    power=random.randrange(80, 700), temperature=random.randrange(30, 90), name="NVIDIA H100 80GB",
                )
                for number in range(self.gpus)
            ]
        )  # fmt: skip

    def environment(self) -> dict[str, str]:
        """Return the variables that everybody has."""
        kept = {name: os.environ[name] for name in ("LANG", "LC_ALL", "TZ") if name in os.environ}
        seen = ("LD_LIBRARY_PATH", "FAKE_NVML", "FAKE_CUDA_INIT", "GPUCLUSTER_NODE")
        fake = self._fake.environment()
        return {
            **kept,
            **{name: fake[name] for name in seen},
            "PATH": f"{self.python.parent}:/usr/bin:/bin",
            "GPUCLUSTER_SITE": str(self._site),
            "DASK_LOGGING__DISTRIBUTED": "error",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def _join_environments(self) -> Path:
        """Make one environment of both that ``make test`` has: JupyterLab of one, dask-cuda of the other.

        On a machine with GPUs they are one anyway. Where both have a package, that of dask-cuda counts.
        """
        place = self.folder / "python"
        make = [sys.executable, "-m", "venv", "--without-pip", str(place)]
        subprocess.run(make, check=True, timeout=120, stdout=subprocess.DEVNULL)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        packages = [ROOT / name / "lib" / version / "site-packages" for name in (".venv-cuda", ".venv")]
        added = "; ".join(f"site.addsitedir({str(path)!r})" for path in packages)
        (place / "lib" / version / "site-packages" / "both.pth").write_text(f"import site; {added}\n")
        configuration = place / "etc" / "jupyter" / "jupyter_server_config.d"
        configuration.mkdir(parents=True)
        for name in SERVER_EXTENSIONS:
            text = (ROOT / ".venv" / "etc" / "jupyter" / "jupyter_server_config.d" / f"{name}.json").read_text()
            (configuration / f"{name}.json").write_text(text)
        # As deploy/jupyterhub says for machines that many share.
        ours = ROOT / "deploy" / "jupyterhub" / "tljh"
        shutil.copy(ours / "jupyter_gpucluster_config.json", configuration.parent)
        shutil.copy(ours / "jupyter_server_config.json", configuration / "zz-gpucluster-memory.json")
        share = place / "share" / "jupyter"
        share.mkdir(parents=True)
        for name in ("lab", "labextensions", "nbconvert"):
            if (ROOT / ".venv" / "share" / "jupyter" / name).exists():
                (share / name).symlink_to(ROOT / ".venv" / "share" / "jupyter" / name)
        python = place / "bin" / "python"
        kernel = share / "kernels" / "python3"
        kernel.mkdir(parents=True)
        argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        (kernel / "kernel.json").write_text(
            json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"})
        )
        return python
