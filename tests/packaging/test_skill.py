"""The skill for coding assistants: every command and block of code in it runs, on real clusters of CPU workers."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
SKILL = ROOT / "skills/gpucluster/SKILL.md"
_, HEAD, BODY = SKILL.read_text().split("---\n", 2)


def tasks() -> list[tuple[str, str]]:
    """The commands, one by one, and the blocks, in their order."""
    found = []
    for language, text in re.findall(r"^```(\w+)\n(.*?)^```$", BODY, flags=re.MULTILINE | re.DOTALL):
        if language == "console":
            found += [(language, line.removeprefix("$ ")) for line in text.splitlines()]
        else:
            found.append((language, text))
    return found


def test_the_skill_can_be_found_and_read_by_an_assistant() -> None:
    head = yaml.safe_load(HEAD)
    assert set(head) == {"name", "description"}
    assert head["name"] == SKILL.parent.name
    assert re.fullmatch("[a-z0-9-]{1,64}", head["name"])
    assert 0 < len(head["description"]) <= 1024
    assert len(SKILL.read_text().splitlines()) <= 150
    assert not re.search(r"\]\((?!https:)", BODY), "it is copied away from other files"
    assert len(tasks()) >= 30


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, dict[str, str]]]:
    """A folder to work in, and variables with which the command is found and clusters are private."""
    folder = tmp_path_factory.mktemp("work")
    registry = tempfile.mkdtemp(prefix="gpc", dir="/tmp")
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "GPUCLUSTER_DIR": registry,
        "IPYTHONDIR": str(folder / "ipython"),
    }
    yield folder, environment
    stop = ["gpucluster", "stop", "--all", "--yes"]
    subprocess.run(stop, env=environment, capture_output=True, timeout=120, check=False)
    shutil.rmtree(registry, ignore_errors=True)


@pytest.mark.full
@pytest.mark.timeout(900)
def test_every_command_and_block_runs(place: tuple[Path, dict[str, str]]) -> None:
    folder, environment = place
    commands = {
        "console": lambda text: ["bash", "-c", text],
        "python": lambda text: [sys.executable, "-c", text],
        "ipython": lambda text: [sys.executable, "-m", "IPython", "--colors=NoColor", "cell.ipy"],
    }
    for language, text in tasks():
        (folder / "cell.ipy").write_text(text)
        answer = subprocess.run(
            commands[language](text), cwd=folder, env=environment, capture_output=True, text=True, timeout=200,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        shown = answer.stdout + answer.stderr
        assert answer.returncode == 0, f"{text}\n{shown[-3000:]}"
        assert "Traceback" not in shown, f"{text}\n{shown[-3000:]}"
        if language != "console":
            assert answer.stdout, text
    left = subprocess.run(["gpucluster", "list"], env=environment, capture_output=True, text=True, timeout=100)
    assert "demo" not in left.stdout
