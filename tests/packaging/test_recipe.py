"""The conda recipe, the citation and the URLs agree with pyproject.toml."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGE: dict[str, Any] = json.loads((ROOT / "package.json").read_text())
CONDA_NAMES = {"matplotlib": "matplotlib-base", "build": "python-build", "prometheus-client": "prometheus_client",
               "jupyter-server": "jupyter_server"}  # fmt: skip


@pytest.fixture(scope="module")
def recipe() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "conda/recipe.yaml").read_text())
    return loaded


def requirements(lines: list[str]) -> dict[str, set[str]]:
    """Name and bounds of each requirement."""
    found = {}
    for line in lines:
        requirement = Requirement(line.replace(" ", "", 1) if re.match(r"\S+ [<>=!]", line) else line)
        name = requirement.name.lower()
        found[CONDA_NAMES.get(name, name)] = {str(bound) for bound in requirement.specifier}
    return found


def test_the_recipe_needs_what_the_wheel_needs(recipe: dict[str, Any]) -> None:
    wheel = requirements(PROJECT["project"]["dependencies"])
    run = [line for line in recipe["requirements"]["run"] if not line.startswith(("python ", "__"))]
    assert requirements(run) == wheel
    host = [line for line in recipe["requirements"]["host"] if not line.startswith(("python ", "pip"))]
    hooks = PROJECT["tool"]["hatch"]["build"]["hooks"]
    of_hooks = [one for name in ("custom", "jupyter-builder") for one in hooks[name]["dependencies"]]
    assert requirements(host) == requirements(PROJECT["build-system"]["requires"] + of_hooks)


def test_the_oldest_libraries_are_the_lower_bounds() -> None:
    lines = (ROOT / "requirements/oldest.txt").read_text().splitlines()
    pinned = [Requirement(line) for line in lines if not line.startswith("#")]
    bounds = {one.name: one.specifier for one in map(Requirement, PROJECT["project"]["dependencies"])}
    for name, specifier in ((one.name, one.specifier) for one in pinned if one.name in bounds):
        lowest = next(bound.version for bound in bounds[name] if bound.operator == ">=")
        assert specifier.contains(lowest), f"{name}: {lowest} is allowed, {specifier} is tried"


def test_comparisons_that_older_libraries_skip_exist() -> None:
    """A renamed test would not be skipped by ``make test-libraries``."""
    from tests.learn.conftest import NEWER

    for name in NEWER:
        path, _, test = name.partition("::")
        assert f"def {test.partition('[')[0]}(" in (ROOT / "tests/learn" / path).read_text(), name


def test_the_recipe_has_the_same_version_python_command_and_licence(recipe: dict[str, Any]) -> None:
    project = PROJECT["project"]
    assert recipe["context"] == {
        "version": re.sub(r"-(a|b|rc)\.", r"\1", PACKAGE["version"]),
        "python_min": project["requires-python"].removeprefix(">="),
    }
    (command,) = recipe["build"]["python"]["entry_points"]
    assert command == f"gpucluster = {project['scripts']['gpucluster']}"
    assert recipe["about"]["license"] == project["license"] == PACKAGE["license"]


def test_home_page_is_the_same_everywhere(recipe: dict[str, Any]) -> None:
    home = PROJECT["project"]["urls"]["Homepage"]
    assert PROJECT["project"]["urls"]["Source"] == home
    assert (PACKAGE["homepage"], PACKAGE["repository"]["url"]) == (home, f"git+{home}.git")
    assert recipe["about"]["homepage"] == recipe["about"]["repository"] == home
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (citation["repository-code"], citation["license"]) == (home, PROJECT["project"]["license"])
    assert citation["version"] == recipe["context"]["version"]
    assert citation["abstract"] == PROJECT["project"]["description"]
    owner = home.removeprefix("https://github.com/")
    for rule in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        assert f"/{owner}/" in rule["replacement"]


@pytest.mark.processes
def test_readme_links_lead_to_existing_files() -> None:
    from build.util import project_wheel_metadata

    metadata = project_wheel_metadata(ROOT, isolated=False)
    version = metadata["Version"]
    text = str(metadata.get_payload())
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 15
    for link in links:
        assert link.startswith(("https://", "#")), f"{link} leads nowhere on a package index"
        found = re.fullmatch(
            rf"https://(?:raw\.githubusercontent|github)\.com/[^/]+/[^/]+/(?:blob/)?v{version}/([^#]+)(#.*)?", link
        )
        if found:
            assert (ROOT / found[1]).exists(), link
    pictures = re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text)
    assert pictures and all(picture.startswith("https://raw.githubusercontent.com/") for picture in pictures)
    assert {"Typing :: Typed", "Programming Language :: Python :: 3.11"} <= set(metadata.get_all("Classifier"))
