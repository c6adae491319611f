"""A machine with GPUs that exist only in a text file (``nvml.c`` says how it is written)."""

import os
import subprocess
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

SOURCES = Path(__file__).parent
LIBRARIES = {"nvml.c": "libnvidia-ml.so.1", "cuda.c": "libcuda.so.1"}


def compile_libraries(folder: Path) -> Path:
    """Compile both stand-ins into ``folder`` and return it."""
    for source, library in LIBRARIES.items():
        command = ["gcc", "-O1", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-pthread"]
        target = [f"-Wl,-soname,{library}", "-o", str(folder / library)]
        subprocess.run([*command, *target, str(SOURCES / source)], check=True, timeout=120)
    return folder


def gpu_uuid(number: int) -> str:
    """Return a UUID such as NVML gives, the same for the same number."""
    return f"GPU-{number:08x}-1111-2222-3333-444444444444"


def slice_uuid(number: int) -> str:
    return f"MIG-{number:08x}-aaaa-bbbb-cccc-dddddddddddd"


def gpu(number: int, *, total: int = 16384, used: int = 300, util: int = 0, name: str = "Fake A16", **more: int) -> str:
    """Return the line of one GPU; sizes are in MiB."""
    extra = "".join(f" {key}={value}" for key, value in more.items())
    return f"device {gpu_uuid(number)} name={name.replace(' ', '_')} total={total} used={used} util={util}{extra}"


def mig_slice(number: int, *, total: int = 10240, used: int = 20) -> str:
    """Return the line of one MIG slice of the GPU before it; sizes are in MiB."""
    return f"slice {slice_uuid(number)} total={total} used={used}"


@dataclass
class FakeMachine:
    """The simulated GPUs of a machine. ``environment`` shows them to a subprocess; ``write`` changes them any time."""

    libraries: Path
    file: Path
    lines: list[str] = field(default_factory=list)
    cuda_init: int = 0

    def write(self, lines: Sequence[str]) -> None:
        """Set the lines that define the machine."""
        self.lines = list(lines)
        written = self.file.with_suffix(".new")
        written.write_text("\n".join(self.lines) + "\n")
        written.replace(self.file)

    def environment(self, **more: str) -> dict[str, str]:
        """Return an environment for a subprocess that sees this machine."""
        environment = {key: value for key, value in os.environ.items() if key != "CUDA_VISIBLE_DEVICES"}
        environment |= {
            "LD_LIBRARY_PATH": str(self.libraries),
            "FAKE_NVML": str(self.file),
            "FAKE_CUDA_INIT": str(self.cuda_init),
            # Claims of GPUs are shared by a machine: each test has a different one.
            "GPUCLUSTER_NODE": f"{zlib.crc32(str(self.file).encode()):08x}",
        }
        return environment | more

    def run(self, program: str, **more: str) -> str:
        """Run Python on this machine and return its output; fail with its error. The test's own timeout ends it."""
        done = subprocess.run(
            [sys.executable, "-c", program], env=self.environment(**more), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout
