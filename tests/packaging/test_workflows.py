"""What continuous integration and the release workflow run, and may do."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def read(path: Path) -> dict[str, Any]:
    # YAML 1.1 reads the key 'on' as True.
    workflow: dict[str, Any] = yaml.safe_load(re.sub("^on:", "'on':", path.read_text(), flags=re.MULTILINE))
    return workflow


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_and_named_with_their_version(path: Path) -> None:
    for line in path.read_text().splitlines():
        if "uses:" in line:
            assert re.search(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_commands_are_files_and_targets_that_exist(path: Path) -> None:
    targets = re.findall(r"^([\w./-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    commands = [step["run"] for job in read(path)["jobs"].values() for step in job["steps"] if "run" in step]
    assert commands
    for command in commands:
        for script in re.findall(r"(?:\.ci|scripts)/[\w-]+", command):
            assert (ROOT / script).is_file(), script
        for target in re.findall(r"^make (\S+)", command):
            assert target in targets


def test_only_the_job_that_publishes_may_ask_for_the_identity_of_the_project() -> None:
    release = read(ROOT / ".github/workflows/release.yml")
    assert release["on"] == {"push": {"tags": ["v*"]}}
    assert release["permissions"] == {}
    build, publish = release["jobs"]["build"], release["jobs"]["publish"]
    assert build["permissions"] == {"contents": "read"}
    assert publish["permissions"] == {"id-token": "write"}
    assert (publish["needs"], publish["environment"]["name"]) == ("build", "pypi")
    assert not any("run" in step for step in publish["steps"]), "no code of the repository runs with that identity"
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text()


def test_a_tag_that_is_not_the_version_is_refused() -> None:
    release = read(ROOT / ".github/workflows/release.yml")
    [check] = [step["run"] for step in release["jobs"]["build"]["steps"] if "GITHUB_REF_NAME" in step.get("run", "")]
    version = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]
    for tag, status in ((f"v{version}", 0), ("v99.0.0", 1)):
        variables = {"PATH": "/usr/bin:/bin", "GITHUB_REF_NAME": tag}
        assert subprocess.run(["bash", "-c", check], cwd=ROOT, env=variables).returncode == status
