"""The site's file: what it gives to everybody, and what becomes of it where it is wrong."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from gpucluster.cli.options import spec_from
from gpucluster.cli.verbs import parser_for
from gpucluster.client.capacity import bounded_spec, checked_spec
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.presets import PRESETS, SITE_PRESETS
from gpucluster.protocol.spec import parse_patch
from gpucluster.site.faults import preset_faults
from gpucluster.site.limitsection import LEAST
from gpucluster.site.reading import new_troubles, site_of, this_site

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "site.yaml"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return what makes a text the file of this site."""
    path = tmp_path / "site.yaml"
    monkeypatch.setenv("GPUCLUSTER_SITE", str(path))

    def write(text: str, mode: int = 0o644) -> Path:
        path.write_text(text)
        path.chmod(mode)
        os.utime(path, ns=(write.count, write.count))
        write.count += 1
        return path

    write.count = 1
    return write


def test_without_a_file_there_are_the_presets_of_every_installation(site):
    assert not this_site().found
    assert this_site().presets == PRESETS
    assert checked_spec({"backend": "local", "n_workers": 200}).n_workers == 200


def test_the_example_of_the_documentation_is_right(site):
    assert EXAMPLE.read_text() in (EXAMPLE.with_name("site.md")).read_text()
    site(EXAMPLE.read_text())
    found = this_site()
    assert found.troubles == ()
    assert {preset.name for preset in found.added} == {"leonardo-booster", "course"}
    made = checked_spec({"preset": "leonardo-booster"})
    assert (made.partition, made.account, made.modules) == ("boost_usr_prod", "my_project", ["cuda/12.6"])
    assert found.costs_of("slurm").unit == "node-hours"


@pytest.mark.parametrize("preset", [*PRESETS, *SITE_PRESETS], ids=lambda preset: preset.name)
def test_every_preset_of_ours_is_valid(preset):
    assert preset_faults(preset) == []
    checked_spec(preset.spec)


def test_presets_mean_the_same_in_each_face(site):
    site(
        "presets:\n"
        "  - {name: lab, title: Lab, description: Two small ones., "
        "spec: {backend: local, n_workers: 2, memory_limit: 1 GiB}}\n"
    )
    rest = checked_spec(json.dumps({"preset": "lab", "n_workers": 1}))
    shell = spec_from(parser_for("create", "gpucluster").read(["--preset", "lab", "-n", "1"]))
    assert rest == shell
    assert (rest.backend, rest.n_workers, rest.memory_limit) == ("local", 1, 2**30)
    with pytest.raises(InvalidRequest, match=r"there is no preset 'lap' \(did you mean 'lab'\?\); there are auto"):
        checked_spec({"preset": "lap"})


def test_a_preset_may_leave_open_what_people_fill_in(site):
    site("presets:\n  - {name: nodes, title: N, description: D., spec: {backend: ssh, threads_per_worker: 4}}\n")
    assert this_site().troubles == ()
    assert checked_spec({"preset": "nodes", "hosts": "a,b"}).threads_per_worker == 4


def test_defaults_are_filled_in_where_they_fit(site):
    site(
        "defaults:\n"
        "  all: {idle_timeout_seconds: 900}\n"
        "  slurm: {partition: boost, gpu_type: a100, walltime: 24:00:00}\n"
    )
    made = checked_spec({"backend": "slurm", "gpus_per_node": 1, "partition": "debug"})
    assert (made.partition, made.gpu_type, made.idle_timeout_seconds) == ("debug", "a100", 900)
    assert made.walltime == "24:00:00", "YAML 1.1 would read a number of seconds"
    assert checked_spec(made) == made
    # A type of GPU for workers without one would be refused, and nobody has asked for it.
    assert checked_spec({"backend": "slurm"}).gpu_type is None
    schema = this_site().schemas()["slurm"]["properties"]
    assert schema["partition"]["default"] == "boost"


def test_limits_bind_requests_and_changes(site, monkeypatch):
    site("limits:\n  all: {idle_timeout_seconds: 7200}\n  local: {n_workers: 2}\n  slurm: {walltime: 2-00:00:00}\n")
    with pytest.raises(InvalidRequest, match=r"n_workers: must be at most 2 at this site, not 3\."):
        checked_spec({"backend": "local", "n_workers": 3})
    with pytest.raises(InvalidRequest, match="walltime: must be at most 2-00:00:00 at this site, not 3-00:00:00"):
        checked_spec({"backend": "slurm", "walltime": "3-00:00:00"})
    # 'auto' may choose 'local', so its limits hold.
    with pytest.raises(InvalidRequest, match="n_workers"):
        checked_spec({"n_workers": 3})
    assert checked_spec({"backend": "slurm", "n_workers": 3}).n_workers == 3
    monkeypatch.setattr("gpucluster.client.capacity._count", lambda spec: (8, None))
    assert bounded_spec(checked_spec({"backend": "local"})).n_workers == 2
    with pytest.raises(InvalidRequest, match="adapt.maximum"):
        this_site().limits_of("local").check_patch(parse_patch({"adapt": {"minimum": 0, "maximum": 9}}))


def test_kinds_that_are_not_allowed(site):
    site("limits: {all: {kinds: [auto, local]}}\n")
    assert list(this_site().schemas()) == ["auto", "local"]
    with pytest.raises(InvalidRequest, match="backend: must be one of 'auto', 'local' at this site, not 'slurm'"):
        checked_spec({"backend": "slurm"})
    assert checked_spec({}).backend == "local", "'auto' may not choose what is not allowed"


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("title: A\npreset: []\n", 2, "preset: is no section (did you mean 'presets'?)"),
        ("presets:\n  - leonardo\n", 2, "presets.0: there is no ready preset 'leonardo' (did you mean"),
        (
            "presets:\n  - name: a\n    title: A\n    description: D.\n    spec:\n      backend: slurm\n"
            "      partitoin: x\n",
            7,
            "presets.0.spec.partitoin: is not known here (did you mean 'partition'?)",
        ),
        ("defaults:\n  slurm:\n    acount: x\n", 3, "is no option of this kind (did you mean 'account'?)"),
        ("defaults:\n  slurm:\n    walltime: soon\n", 3, "defaults.slurm.walltime: 'soon' is not a time limit"),
        ("defaults:\n  slrum: {}\n", 2, "defaults.slrum: is no kind of cluster here (did you mean 'slurm'?)"),
        ("costs:\n  slurm: {unit: h}\n", 2, "costs.slurm: give per_gpu_hour, per_cpu_hour or per_node_hour"),
        ("title: [1]\n", 1, "title: must be a short text"),
        ("login_node: -oProxyCommand=x\n", 1, "login_node: must be the name of a host"),
    ],
)
def test_what_is_wrong_is_told_with_its_line_and_left_out(site, text, line, sentence):
    path = site(text)
    [trouble] = this_site().troubles
    assert trouble.startswith(f"{path}, line {line}: ")
    assert sentence in trouble
    assert checked_spec({"backend": "local", "n_workers": 5}).n_workers == 5, "people go on working"
    assert new_troubles() == [trouble]
    assert new_troubles() == [], "it is told once"


@pytest.mark.parametrize(
    "text",
    [
        "limits:\n  local: {n_workrs: 4}\n",
        "limits:\n  local: {n_workers: many}\n",
        "limits:\n  locall: {n_workers: 4}\n",
        "limits:\n  all: {memory_limit: 80%}\n",
        "limits: 4\n",
        "limit: {all: {n_workers: 4}}\n",
        "limits: {all: {n_workers: 4}\n",
        "limits: {}\nlimits: {}\n",
        "- limits\n",
    ],
)
def test_a_limit_that_cannot_be_read_is_the_least(site, text):
    site(text)
    [trouble] = this_site().troubles
    assert "have at most 1 worker with 1 thread and 1 GiB" in trouble
    assert checked_spec({"backend": "local"}).memory_limit == LEAST.memory_limit
    assert checked_spec({"backend": "local", "n_workers": 1}).n_workers == 1
    with pytest.raises(InvalidRequest, match="n_workers: must be at most 1 at this site"):
        checked_spec({"backend": "local", "n_workers": 2})


def test_a_kind_of_a_package_that_is_not_here_is_no_mistake(site):
    site("limits: {flux: {n_workers: 4}}\ndefaults: {flux: {queue: a}}\n")
    assert this_site().troubles == ()


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_others_must_not_write_it(site, mode):
    path = site("limits: {}\n", mode)
    assert f"{path} cannot be used: others may write to it: chmod go-w." in this_site().troubles[0]
    assert this_site().limits_of("local").n_workers == 1


@pytest.mark.root
def test_it_must_be_ones_own_or_roots(site):
    path = site("title: A\n")
    os.chown(path, 12345, -1)
    assert "it must belong to root, or to you" in this_site().troubles[0]


def test_what_is_no_file_and_what_is_no_text(site, tmp_path):
    path = site("title: A\n")
    path.write_bytes(b"title: \xff\n")
    assert "it is not UTF-8" in site_of(path).troubles[0]
    assert "it is not a file" in site_of(tmp_path).troubles[0]
    os.mkfifo(tmp_path / "pipe", 0o600)
    assert "it is not a file" in site_of(tmp_path / "pipe").troubles[0]
    path.write_text("a: &a [1]\nb: [*a, *a]\ntitle: !!python/object:os.system {}\n")
    assert "it is not YAML" in site_of(path).troubles[0]


def test_a_change_of_the_file_is_seen(site):
    site("title: A\n")
    assert this_site().title == "A"
    assert this_site().login_node is None
    site("title: B\n")
    assert this_site().title == "B"
