"""The verbs about the site and its machine: ``site``, ``presets``, ``kinds``."""

import json
import re
from pathlib import Path

import pytest
from gpucluster.cli import main

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "site.yaml"


@pytest.fixture
def said(capsys):
    """Return a function that runs a verb; it returns exit code and output."""

    def run(*words: str) -> tuple[int, str]:
        code = main(list(words))
        return code, capsys.readouterr().out

    return run


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a site's file, and returns its path."""

    def write(text: str) -> str:
        (tmp_path / "site.yaml").write_text(text)
        (tmp_path / "site.yaml").chmod(0o644)
        return str(tmp_path / "site.yaml")

    return write


def test_a_site_without_a_file(said):
    assert said("site") == (0, "This site has no file /nonexistent/site.yaml.\n")


def test_a_file_is_checked_before_it_counts(said, written, tmp_path):
    code, text = said("site", "--file", str(EXAMPLE))
    assert code == 0
    assert text.startswith("Leonardo at CINECA (")
    rows = {tuple(line.split(maxsplit=2)) for line in text.splitlines()}
    assert ("default", "slurm", "partition: boost_usr_prod") in rows
    assert ("limit", "slurm", "walltime: 1-00:00:00") in rows
    assert ("cost", "slurm", "per_gpu_hour: 0.25 node-hours") in rows
    assert said("site", "--file", str(tmp_path / "siet.yaml"))[0] == 2, "a check before deployment fails"
    wrong = written("defaults:\n  slurm: {partitoin: main}\n")
    code, text = said("site", "--file", wrong, "--json")
    assert code == 2
    [trouble] = json.loads(text)["troubles"]
    assert trouble.startswith(
        f"{wrong}, line 2: defaults.slurm.partitoin: is not an option of this kind (did you mean 'partition'?)"
    )


def test_all_of_a_file_is_shown(said, written):
    file = written(
        "login_node: login.site.org\n"
        "sharing: {links: false, public_links: true, link_hours: 4, instructors: [root, no-such-user]}\n"
    )
    code, text = said("site", "--file", file)
    assert code == 0
    assert "Note: sharing.instructors: this machine has no user or group 'no-such-user'." in text
    assert "'root'" not in text
    rows = {tuple(line.split(maxsplit=2)) for line in text.splitlines()}
    assert {
        ("sharing", "machine", f"{row}") for row in ("links: False", "public_links: True", "link_hours: 4.0")
    } <= rows
    assert re.search(r"^login node +all +login\.site\.org$", text, re.MULTILINE)
    assert json.loads(said("site", "--file", file, "--json")[1])["login_node"] == "login.site.org"


def test_kinds_that_are_not_installed_are_noted(said, written):
    file = written("limits:\n  nokind: {n_workers: 2}\n  all: {kinds: [nope]}\n")
    code, text = said("site", "--file", file)
    assert code == 0, "a package elsewhere may offer them"
    assert "It has no errors." in text
    assert (
        f"Note: {file}, line 2: limits.nokind: no kind of cluster 'nokind' is installed here; installed are auto"
        in text
    )
    assert f"Note: {file}, line 3: limits.all.kinds.0: no kind of cluster 'nope' is installed here" in text
    assert len(json.loads(said("site", "--file", file, "--json")[1])["notes"]) == 2


def test_presets_of_the_site_are_listed(said, monkeypatch):
    monkeypatch.setenv("GPUCLUSTER_SITE", str(EXAMPLE))
    code, text = said("presets")
    assert code == 0
    assert "leonardo-booster  Slurm" in text


def test_unusable_kinds_and_presets_show_reason(said, monkeypatch, written):
    monkeypatch.setenv("GPUCLUSTER_SITE", written("presets: [gpu-hour]\nlimits: {all: {kinds: [auto, cuda, local]}}\n"))
    kinds = {kind["name"]: kind["problem"] for kind in json.loads(said("kinds", "--json")[1])}
    assert kinds["local"] is None
    assert kinds["ssh"] == kinds["gateway"] == "Not allowed by this site, which allows auto, cuda, local."
    presets = {preset["name"]: preset["problem"] for preset in json.loads(said("presets", "--json")[1])}
    assert presets["cpu"] is None
    assert presets["gpu"] == kinds["cuda"], "kinds with GPUs give the same reason"
    assert presets["gpu-hour"] is not None
    assert "no    " in said("presets")[1]


def test_kinds_show_their_origin_or_problem(said, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    code, text = said("kinds")
    assert code == 0
    [slurm] = [line for line in text.splitlines() if line.startswith("slurm ")]
    assert slurm.split()[1:3] == ["Slurm", "no"]
    assert "the command 'sbatch' is not on the PATH" in slurm
    found = {kind["name"]: kind for kind in json.loads(said("kinds", "--json")[1])}
    assert (found["local"]["where"], found["local"]["problem"]) == ("This machine", None)
