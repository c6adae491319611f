"""The site's file: presets, defaults, limits and settings for links, and its errors."""

import json
import os
import re
from datetime import datetime
from pathlib import Path

import pytest
from gpucluster.backends.kubernetes.api import kubeconfig_fault
from gpucluster.cli.options import spec_from
from gpucluster.cli.verbs import parser_for
from gpucluster.client.starting.capacity import bounded_spec, checked_spec, demand_of
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.spec import parse_patch
from gpucluster.site.limits import LEAST, SiteLimits
from gpucluster.site.model import notice_of, preset_faults
from gpucluster.site.presets import PRESETS, SITE_PRESETS
from gpucluster.site.reading import new_troubles, site_of, this_site
from gpucluster.site.sections import read_sections
from gpucluster.site.sharing import LEAST_PER_USER, opens_at, read_hours

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "site.yaml"


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a function that writes the site's file."""
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
    form, *_ = re.findall(r"```yaml\n(.*?)```", EXAMPLE.with_name("site.md").read_text(), re.DOTALL)
    site(form)
    assert this_site().troubles == ()
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
    with pytest.raises(InvalidRequest, match=r"unknown preset 'lap' \(did you mean 'lab'\?\); available: auto"):
        checked_spec({"preset": "lap"})


def test_preset_may_be_incomplete(site):
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
    # A default GPU type would be refused for workers without a GPU.
    assert checked_spec({"backend": "slurm"}).gpu_type is None
    schema = this_site().schemas()["slurm"]["properties"]
    assert schema["partition"]["default"] == "boost"


@pytest.mark.parametrize(
    ("text", "line", "sentence", "field", "value"),
    [
        ("defaults: {local: {memory_limit: 8 GiB}}\nlimits:\n  local: {memory_limit: 1 GiB}\n", 1,
         "defaults.local.memory_limit: contradicts limits.local.memory_limit (line 3): must be at most 1 GiB at "
         "this site, not 8 GiB. Until one of them is changed, this default is ignored.", "memory_limit", 2**30),
        ("defaults:\n  all: {idle_timeout_seconds: 1800}\nlimits: {local: {idle_timeout_seconds: 600}}\n", 2,
         "defaults.all.idle_timeout_seconds: contradicts limits.local.idle_timeout_seconds (line 3): must be",
         "idle_timeout_seconds", 600),
        ("defaults: {all: {idle_timeout_seconds: 1800}}\nsharing:\n  per_user:\n    idle_timeout_seconds: 600\n", 1,
         "idle_timeout_seconds: contradicts sharing.per_user.idle_timeout_seconds (line 4): must be",
         "idle_timeout_seconds", 600),
        ("defaults: {local: {n_workers: 4}, mpi: {n_workers: 2}}\nsharing: {per_user: {memory: 513 MiB}}\n", 1,
         "defaults.local.n_workers: contradicts sharing.per_user.memory (line 2): is more than one user may have",
         "n_workers", None),
        ("defaults: {local: {scratch_limit: 4 GiB}}\nsharing: {per_user: {scratch: 1 GiB}}\n", 1,
         "defaults.local.scratch_limit: contradicts sharing.per_user.scratch (line 2): is more than",
         "scratch_limit", "auto"),
        ("defaults: {cuda: {devices: [0, 1]}}\nsharing: {per_user: {gpus: 1}}\n", 1,
         "defaults.cuda.devices: contradicts sharing.per_user.gpus (line 2): is more than one user may have",
         "n_workers", None),
    ],
)  # fmt: skip
def test_default_above_limit_is_reported_and_ignored(site, text, line, sentence, field, value):
    path = site(text)
    [trouble] = this_site().troubles
    assert trouble.startswith(f"{path}, line {line}: ") and sentence in trouble
    made = checked_spec({"backend": "local"})
    assert getattr(made, field) == value, "the limit does not replace the default"
    default = this_site().schemas()["local"]["properties"][field]["default"]
    assert default not in ("8 GiB", "4 GiB", 1800, "none", 4)


def test_defaults_yield_to_least_limit(site):
    site("defaults: {local: {memory_limit: 2 GiB, n_workers: 2}}\nlimits: {local: {n_workers: many}}\n")
    [trouble] = this_site().troubles
    assert "limits.local.n_workers" in trouble
    assert checked_spec({"backend": "local"}).n_workers is None


def test_conflicting_default_yields_to_request(site):
    site("defaults: {slurm: {scheduler_memory: 4 GiB}}\nlimits: {slurm: {memory_limit: 1 GiB}}\n")
    assert this_site().troubles == (), "without a job for the scheduler it is not used"
    assert checked_spec(SCHEDULER).scheduler_memory == 2**30


def test_refused_default_is_named(site):
    path = site("defaults: {local: {n_workers: 4, threads_per_worker: 2}}\n")
    rule = SiteLimits(n_workers=2).fault
    with pytest.raises(InvalidRequest) as refused:
        checked_spec({"backend": "local"}, rule)
    assert refused.value.message == (
        "n_workers: must be at most 2 workers at this site, not 4 (it is this site's default in "
        f"{path}; pass another value)."
    )
    with pytest.raises(InvalidRequest, match=r"at this site, not 3\.$"):
        checked_spec({"backend": "local", "n_workers": 3}, rule)


def test_limits_bind_requests_and_changes(site, monkeypatch):
    site("limits:\n  all: {idle_timeout_seconds: 7200}\n  local: {n_workers: 2}\n  slurm: {walltime: 2-00:00:00}\n")
    with pytest.raises(InvalidRequest, match=r"n_workers: must be at most 2 workers at this site, not 3\."):
        checked_spec({"backend": "local", "n_workers": 3})
    with pytest.raises(InvalidRequest, match="walltime: must be at most 2-00:00:00 at this site, not 3-00:00:00"):
        checked_spec({"backend": "slurm", "walltime": "3-00:00:00"})
    # 'auto' may choose 'local', so the limits of 'local' apply.
    with pytest.raises(InvalidRequest, match="n_workers"):
        checked_spec({"n_workers": 3})
    assert checked_spec({"backend": "slurm", "n_workers": 3}).n_workers == 3
    monkeypatch.setattr("gpucluster.client.starting.capacity._count", lambda spec, left=None: (8, None))
    assert bounded_spec(checked_spec({"backend": "local"})).n_workers == 2
    with pytest.raises(InvalidRequest, match="adapt.maximum"):
        this_site().limits_of("local").check_patch(parse_patch({"adapt": {"minimum": 0, "maximum": 9}}))


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ({"n_workers": 3}, "n_workers: must be at most 2 workers at this site, not 3."),
        ({"threads_per_worker": 2}, "threads_per_worker: must be at most 1 thread at this site, not 2."),
        ({"memory_limit": "1.01 GiB"}, "memory_limit: must be at most 1 GiB at this site, not 1.01 GiB."),
        ({"memory_limit": 2**30 + 1}, "memory_limit: must be at most 1073741824 bytes at this site, not 1073741825."),
        ({"memory_limit": None}, "memory_limit: must be at most 1 GiB at this site, not unlimited."),
        ({"idle_timeout_seconds": 7201}, "idle_timeout_seconds: must be at most 7200 seconds (2 h) at this site, "
         "not 7201."),
        ({"backend": "slurm", "walltime": "1441"}, "walltime: must be at most 1-00:00:00 at this site, not 1441."),
        ({"backend": "slurm", "gpus_per_node": 3}, "gpus_per_node: must be at most 2 at this site, not 3: a cluster "
         "may have 2 workers."),
        ({"backend": "slurm", "gpus_per_node": 1, "memory_per_gpu": "2 GiB"}, "memory_per_gpu: must be at most 1 GiB "
         "at this site, not 2 GiB."),
        ({"backend": "slurm", "memory_limit": "50%"}, "memory_limit: must be a size, such as '2 GiB', not a "
         "percentage: machines differ."),
        ({"backend": "cuda", "devices": [0, 1, 2]}, "devices: must name at most 2 GPUs at this site, not 3: one for "
         "each worker."),
        ({"backend": "gateway"}, "backend: must be one of 'auto', 'cuda', 'slurm' at this site, not 'gateway'."),
    ],
)  # fmt: skip
def test_slight_excess_names_limit_and_unit(site, spec, sentence):
    site(
        "limits:\n  all: {n_workers: 2, threads_per_worker: 1, memory_limit: 1 GiB, idle_timeout_seconds: 7200, "
        "kinds: [auto, cuda, slurm]}\n  slurm: {walltime: 24:00:00}\n"
    )
    with pytest.raises(InvalidRequest) as refused:
        checked_spec(spec)
    assert refused.value.message == sentence


SCHEDULER = {"backend": "slurm", "n_workers": 1, "scheduler": "job"}


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (SCHEDULER | {"scheduler_walltime": "4:00:00"}, "scheduler_walltime: must be at most 00:10:00 at this site, "
         "not 4:00:00."),
        (SCHEDULER | {"scheduler_memory": "4 GiB"}, "scheduler_memory: must be at most 1 GiB at this site, not 4 GiB."),
        (SCHEDULER | {"scheduler_cores": 6}, "scheduler_cores: must be at most 1 at this site, not 6."),
        ({"backend": "slurm", "cores": 2}, "cores: must be at most 1 at this site, not 2: a worker may have 1 thread."),
        ({"backend": "slurm", "cores": 3, "workers_per_job": 4, "nodes_per_job": 2, "n_workers": 0},
         "cores: must be at most 2 at this site, not 3: each of the 2 workers on a node may have 1 thread."),
        ({"backend": "slurm", "cores": 8, "gpus_per_node": 1}, "cores: must be at most 1 at this site, not 8: a worker "
         "may have 1 thread."),
        ({"backend": "kubernetes", "image": "a/b:1", "scheduler_memory": "4 GiB"}, "scheduler_memory: must be at most "
         "1 GiB at this site, not 4 GiB."),
        ({"backend": "kubernetes", "image": "a/b:1", "cores": 2}, "cores: must be at most 1 at this site, not 2: a "
         "worker may have 1 thread."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("faulty", [False, True])
def test_limits_cover_scheduler_jobs(site, spec, sentence, faulty):
    limits = "{threads_per_worker: 1, memory_limit: 1 GiB, walltime: '00:10:00'}"
    site("limits: {all: {memory_limit: much}}\n" if faulty else f"limits: {{all: {limits}}}\n")
    with pytest.raises(InvalidRequest) as refused:
        checked_spec(spec)
    assert refused.value.message == sentence


def test_open_scheduler_job_fields_become_limit(site):
    site("limits: {slurm: {walltime: '30', memory_limit: 1 GiB, threads_per_worker: 1}}\n")
    made = checked_spec(SCHEDULER)
    assert (made.scheduler_walltime, made.scheduler_memory, made.scheduler_cores) == ("00:30:00", 2**30, 1)
    assert checked_spec(made) == made
    given = SCHEDULER | {"scheduler_walltime": "20", "scheduler_memory": "600 MiB", "cores": 1}
    assert checked_spec(given).scheduler_walltime == "20"
    here = checked_spec({"backend": "slurm"})
    assert (here.scheduler_walltime, here.scheduler_memory) == (None, 2 * 2**30), "the scheduler has no job"
    schema = this_site().schemas()["slurm"]["properties"]
    assert schema["scheduler_cores"]["maximum"] == 1
    assert schema["scheduler_memory"]["default"] == 2**30
    assert "At most 00:30:00 at this site." in schema["scheduler_walltime"]["description"]


def test_memory_limit_per_gpu(site):
    site("limits: {slurm: {memory_limit: 1 GiB}}\n")
    made = checked_spec({"backend": "slurm", "gpus_per_node": 1, "memory_per_gpu": "512 MiB"})
    assert (made.memory_limit, made.memory_per_gpu) == ("auto", 2**29)


def test_kinds_that_are_not_allowed(site):
    site("limits: {all: {kinds: [auto, local]}}\n")
    assert list(this_site().schemas()) == ["auto", "local"]
    with pytest.raises(InvalidRequest, match="backend: must be one of 'auto', 'local' at this site, not 'slurm'"):
        checked_spec({"backend": "slurm"})
    assert checked_spec({}).backend == "local", "'auto' chooses among the allowed kinds"


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("title: A\npreset: []\n", 2, "preset: is not a section (did you mean 'presets'?)"),
        ("presets:\n  - leonardo\n", 2, "presets.0: there is no built-in preset 'leonardo' (did you mean"),
        (
            "presets:\n  - name: a\n    title: A\n    description: D.\n    spec:\n      backend: slurm\n"
            "      partitoin: x\n",
            7,
            "presets.0.spec.partitoin: is not known here (did you mean 'partition'?)",
        ),
        ("defaults:\n  slurm:\n    acount: x\n", 3, "is not an option of this kind (did you mean 'account'?)"),
        ("defaults:\n  slurm:\n    walltime: soon\n", 3, "defaults.slurm.walltime: 'soon' is not a time limit"),
        ("defaults:\n  slrum: {}\n", 2, "defaults.slrum: is not a kind of cluster here (did you mean 'slurm'?)"),
        ("costs:\n  slurm: {unit: h}\n", 2, "costs.slurm: set per_gpu_hour, per_cpu_hour or per_node_hour"),
        ("costs:\n  all: {unit: h, per_gpu_hour: free}\n", 2, "costs.all.per_gpu_hour: must be a number, not 'free'"),
        ("presets: [{name: '', title: A, description: D., spec: {}}]\n", 1, "presets.0.name: must not be empty"),
        ("title: [1]\n", 1, "title: must be a short text"),
        ("login_node: -oProxyCommand=x\n", 1, "login_node: must be the name of a host"),
        ("presets:\n  - gpu-hour\n  - gpu-hour\n", 3, "presets.1: 'gpu-hour' occurs twice; the first one is used."),
    ],
)
def test_errors_are_reported_with_line(site, text, line, sentence):
    path = site(text)
    [trouble] = this_site().troubles
    assert trouble.startswith(f"{path}, line {line}: ")
    assert sentence in trouble
    assert checked_spec({"backend": "local", "n_workers": 5}).n_workers == 5, "an error disables the site"
    assert new_troubles() == [trouble]
    assert new_troubles() == [], "an error is repeated"


@pytest.mark.parametrize(
    "text",
    [
        "limits:\n", "limits:\n  local: {n_workrs: 4}\n", "limits:\n  local: {n_workers: many}\n",
        "limits:\n  local: {n_workers: 99999999999999999999999}\n", "limits:\n  local: {walltime: 1:2:3:4}\n",
        "limits:\n  local: {n_workers: }\n", "limits: {al: {n_workers: 4}}\n",
        "limits: {locall: {n_workers: 9}, local: {n_workers: 5, threads_per_worker: 2}}\n",
        "limits:\n  locall: {n_workers: 4}\n", "limits:\n  all: {memory_limit: 80%}\n",
        "limits:\n  all: {kinds: []}\n", "limits: 4\n", "limit: {all: {n_workers: 4}}\n",
        "limits: {all: {n_workers: 4}\n", "limits: {}\nlimits: {}\n", "- limits\n",
    ],
)  # fmt: skip
def test_unreadable_limit_becomes_least(site, text):
    site(text)
    [trouble] = this_site().troubles
    assert "have at most 1 worker with 1 thread and 1 GiB" in trouble
    assert demand_of(checked_spec({"backend": "local"})).memory_limit_bytes == LEAST.memory_limit
    assert checked_spec({"backend": "local", "n_workers": 1}).n_workers == 1
    with pytest.raises(InvalidRequest, match="n_workers: must be at most 1 worker at this site"):
        checked_spec({"backend": "local", "n_workers": 2})


def test_lower_limits_beside_faulty_one_hold(site):
    path = site(
        "limits:\n  all: {kinds: [auto, locl], n_workers: 9}\n  local:\n    n_workers: 2\n    memory_limit: 200 MiB\n"
        "    threads_per_worker: 0\n    walltime:\n"
        "sharing: {per_user: {clusters: 0, workers: -1, memory: 100 MiB}}\n"
    )
    found = this_site()
    local, each = found.limits_of("local"), found.sharing.per_user
    assert (local.n_workers, local.memory_limit, local.threads_per_worker) == (1, 200 * 2**20, 1)
    assert local.backends == ("auto", "local"), "the narrower reading applies"
    assert (each.clusters, each.workers, each.memory, each.scratch) == (1, 1, 100 * 2**20, 2**30)
    troubles = [trouble.removeprefix(f"{path}, line ") for trouble in found.troubles]
    assert [trouble.partition(": ")[0] for trouble in troubles] == ["2", "6", "7", "8", "8"]
    assert "is empty: write a time such as 24:00:00, or remove the line. Until it is fixed" in troubles[2]
    assert notice_of(found).startswith("A limit of this site cannot be read. Until it is fixed, clusters of every kind")


def test_lower_limits_under_misspelt_key_hold(site):
    site("limits: {locall: {memory_limit: 200 MiB}, slurm: {a.b: 1, memory_limit: 100 MiB}}\nsharin: {message: Hi}\n")
    found = this_site()
    assert [found.limits_of(kind).memory_limit for kind in ("local", "slurm")] == [200 * 2**20, 100 * 2**20]
    assert found.sharing.per_user == LEAST_PER_USER


def test_preset_above_limit_is_reported(site):
    path = site(
        "limits:\n  all: {kinds: [auto, local, slurm]}\n  local: {n_workers: 2}\n"
        "  slurm: {memory_limit: 1 GiB}\n"
        "sharing: {per_user: {memory: 1 GiB}}\n"
        "presets:\n"
        "  - {name: a, title: A, description: D, spec: {backend: local, n_workers: 50, idle_timeout_seconds: 900}}\n"
        "  - {name: b, title: B, description: D, spec: {backend: ssh}}\n"
        "  - {name: c, title: C, description: D, spec: {backend: local, n_workers: 1, memory_limit: 2 GiB}}\n"
        "  - {name: d, title: D, description: D, spec: {backend: slurm, scheduler_memory: 2 GiB, scheduler: job}}\n"
        "  - {name: e, title: E, description: D, spec: {}}\n"
        "  - perlmutter-gpu\n"
    )
    troubles = [trouble.removeprefix(f"{path}, line ") for trouble in this_site().troubles]
    assert [trouble.partition(": must")[0].partition(": is")[0] for trouble in troubles] == [
        "7: presets.0.spec.n_workers: contradicts limits.local.n_workers (line 3)",
        "8: presets.1.spec.backend: contradicts limits.all.kinds (line 2)",
        "9: presets.2.spec.memory_limit: contradicts sharing.per_user.memory (line 5)",
        "10: presets.3.spec.scheduler_memory: contradicts limits.slurm.memory_limit (line 4)",
        "12: presets.5.spec.memory_limit: contradicts limits.slurm.memory_limit (line 4)",
    ]
    assert troubles[0].endswith("Until one of them is changed, unchanged requests for this preset are refused.")
    with pytest.raises(InvalidRequest, match="n_workers: must be at most 2 workers"):
        checked_spec({"preset": "a"})


def test_preset_with_only_kind_fits_small_quota(site):
    path = site(
        "sharing: {per_user: {memory: 100 MiB}}\n"
        "presets: [{name: a, title: A, description: D, spec: {backend: local}}]\n"
    )
    assert this_site().troubles == ()
    note = "is less than a worker needs (256 MiB), so most clusters are rejected."
    assert this_site().notes == (f"{path}, line 1: sharing.per_user.memory: {note}",)


def test_walltime_accepts_minutes_and_rejects_zero(site):
    site("limits: {slurm: {walltime: 90}}\nsharing: {per_user: {walltime: 1-24:00:00}}\n")
    found = this_site()
    assert (found.troubles, found.limits_of("slurm").walltime) == ((), 5400)
    assert found.sharing.per_user.walltime == 2 * 86400
    site("limits: {slurm: {walltime: UNLIMITED}, local: {walltime: 0}}\n")
    assert ["for no limit, omit the line. Until" in trouble for trouble in this_site().troubles] == [True, True]


def test_kind_of_missing_package_is_no_error(site):
    path = site("limits: {flux: {n_workers: 4}, all: {kinds: [auto, local, nope]}}\ndefaults: {flux: {queue: a}}\n")
    assert this_site().troubles == ()
    notes = [note.removeprefix(f"{path}, line ") for note in this_site().notes]
    assert [note.partition("; ")[0] for note in notes] == [
        "1: limits.flux: no kind of cluster 'flux' is installed here",
        "1: limits.all.kinds.2: no kind of cluster 'nope' is installed here",
        "2: defaults.flux: no kind of cluster 'flux' is installed here",
    ]


def test_duplicate_preset_is_listed_once(site):
    site("presets: [leonardo-booster, gpu-hour, leonardo-booster]\n")
    assert [preset.name for preset in this_site().added] == ["leonardo-booster", "gpu-hour"]


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_others_must_not_write_it(site, mode):
    path = site("limits: {}\n", mode)
    assert f"{path} cannot be used: other users can write to it: chmod go-w." in this_site().troubles[0]
    assert this_site().limits_of("local").n_workers == 1


def test_site_file_owner_is_checked(site):
    path = site("title: A\n")
    os.chown(path, 12345, -1)
    assert "it must belong to root, or to you" in this_site().troubles[0]


def test_non_file_and_non_text_are_refused(site, tmp_path):
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


SHARED = """
sharing:
  slots_per_gpu: 4
  reserved_gpus: [7, GPU-0000aaaa]
  per_user:
    clusters: 3
    workers: 8
    gpus: 1
    memory: 64 GiB
    threads: 16
    idle_timeout_seconds: 1800
    walltime: 04:00:00
  hours: [Mon-Fri 08:00-20:00, Sat 10:00-14:00]
  message: Exercise 3 is due on Friday.
  instructors: [course-staff, ada, ada]
"""


def test_how_a_machine_is_shared(site):
    site(SHARED)
    found = this_site()
    assert found.troubles == ()
    sharing, most = found.sharing, found.sharing.per_user
    assert (sharing.slots_per_gpu, sharing.reserved_gpus) == (4, {7, "GPU-0000aaaa"})
    assert (most.clusters, most.workers, most.gpus, most.memory, most.threads) == (3, 8, 1, 64 * 2**30, 16)
    assert (most.walltime, sharing.message) == (4 * 3600, "Exercise 3 is due on Friday.")
    assert sharing.instructors == ["course-staff", "ada"]
    assert checked_spec({"backend": "local"}).idle_timeout_seconds == 1800, "an open field takes the limit"
    with pytest.raises(InvalidRequest, match="idle_timeout_seconds: must be at most 1800 seconds"):
        checked_spec({"backend": "cuda", "idle_timeout_seconds": 7200})


@pytest.mark.parametrize(
    ("text", "line", "sentence", "gpus", "reserved"),
    [
        ("  slots_per_gpu: 0\n", 2, "sharing.slots_per_gpu: must be at least 1, not 0", 1, False),
        ("  slots_per_gpus: 4\n", 2, "is not known here (did you mean 'slots_per_gpu'?)", 1, False),
        ("  per_user:\n    gpus: many\n", 3, "sharing.per_user.gpus: must be a whole number", 1, False),
        ("  per_user:\n    memory: 50%\n", 3, "must be a size such as '4 GiB', not a percentage", 1, False),
        ("  per_user:\n    memory:\n", 3, "is empty: write a size such as '64 GiB', or remove the line", 1, False),
        ("  per_user:\n", 2, "sharing.per_user: is empty: write limits below it, or remove", 1, False),
        ("", 1, "sharing: must have keys: ", 1, False),
        ("  slots_per_gpu:\n", 2, "sharing.slots_per_gpu: is empty: write a number, or remove", 1, False),
        ("  per_user:\n    walltime: soon\n", 3, "'soon' is not a time limit", 1, False),
        ("  reserved_gpus: [0, one]\n", 2, "'one' is neither a GPU index nor a UUID", None, True),
        ("  hours: [always]\n", 2, "must be hours such as 'Mon-Fri 08:00-20:00'", None, False),
        ("  hours: ['Sat 08:00-08:00']\n", 2, "write 'Sat 00:00-24:00' for the whole day; omit 'hours'", None, False),
        ("  hours: ['08:00-08:00']\n", 2, "begins and ends at 08:00: write '00:00-24:00' for the", None, False),
        ("  per_user: {workers: 99999999999999999999}\n", 2, "must be at most 1000000000, not 9999", 1, False),
        ("  hours: [Mon-Fri 08:00-25:00]\n", 2, "must be hours such as", None, False),
        ("  instructors: [a:b]\n", 2, "must be the name of a group or of a user", None, False),
        ("  instructors: ada\n", 2, "sharing.instructors: must be a list", None, False),
        ('  instructors: [""]\n', 2, "sharing.instructors.0: ", None, False),
    ],
)
def test_unreadable_quota_becomes_least(site, text, line, sentence, gpus, reserved):
    path = site(f"sharing:\n{text}")
    [trouble] = this_site().troubles
    assert trouble.startswith(f"{path}, line {line}: ") and sentence in trouble
    sharing = this_site().sharing
    assert (sharing.per_user.gpus, sharing.all_reserved) == (gpus, reserved)
    if gpus:
        assert "Until it is fixed, each user has at most 1 cluster with 1 worker" in trouble
        assert sharing.per_user == LEAST_PER_USER
    if reserved:
        assert "no GPU is assigned" in trouble


@pytest.mark.parametrize(
    ("hours", "moment", "opens"),
    [
        ([], "2026-11-28T03:00", None),
        (["Mon-Fri 08:00-20:00"], "2026-11-27T12:00", None),  # a Friday
        (["Mon-Fri 08:00-20:00"], "2026-11-27T20:00", "2026-11-30T08:00"),
        (["Mon-Fri 08:00-20:00", "Sat 10:00-14:00"], "2026-11-27T20:00", "2026-11-28T10:00"),
        (["20:00-06:00"], "2026-11-27T05:59", None),
        (["20:00-06:00"], "2026-11-27T06:00", "2026-11-27T20:00"),
        (["Sat-Mon 00:00-24:00"], "2026-11-29T23:59", None),
        (["Sat-Mon 00:00-24:00"], "2026-12-01T00:00", "2026-12-05T00:00"),
    ],
)
def test_hours(hours, moment, opens):
    found = opens_at([read_hours(each) for each in hours], datetime.fromisoformat(moment))
    assert found == (datetime.fromisoformat(opens) if opens else None)


BOMB = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]\n"
    for before, name in zip("abcdefghij", "bcdefghijk", strict=True)
)
MERGED = "a: &a {x: 1}\n" + "".join(
    f"{name}: &{name} {{<<: [{', '.join([f'*{before}'] * 10)}]}}\n"
    for before, name in zip("abcdefghij", "bcdefghijk", strict=True)
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (BOMB, "line 5: it has more than 100,000 entries"),
        (MERGED, "entries"),
        ("a: &a [*a]\n", "line 1: it contains itself"),
    ],
)
def test_expanding_aliases_are_refused(tmp_path, text, why):
    path = tmp_path / "site.yaml"
    path.write_text(text)
    path.chmod(0o600)
    assert why in site_of(path).troubles[0]
    assert why in (kubeconfig_fault(str(path)) or "")
    path.write_text("x: &x {gpus: 2}\nlimits: {per_user: *x}\n")
    assert "cannot be used" not in site_of(path).troubles[0], "an alias is refused"


def test_limits_in_file_apply():
    sharing = read_sections(Path("/x"), "sharing: {links: true, public_links: true, link_hours: 4}").sharing
    assert (sharing.links, sharing.public_links, sharing.link_hours) == (True, True, 4)
    nothing = read_sections(Path("/x"), "title: A site").sharing
    assert (nothing.links, nothing.public_links, nothing.link_hours) == (True, False, 24)


@pytest.mark.parametrize(
    "text", ["sharing: {links: 'no'}", "sharing: {link_hours: 48}", "sharing: {public_links: 2}", "sharing: 3", "{"]
)
def test_what_cannot_be_read_shows_nothing(text):
    site = read_sections(Path("/x"), text)
    assert not site.sharing.links and site.troubles


@pytest.mark.parametrize(
    ("hours", "message"), [("0", "must be at least 1 minute (0.0167), not 0."), ("48", "must be at most 24, not 48.")]
)
def test_walltime_bounds_are_readable(hours, message):
    [trouble] = read_sections(Path("/x"), f"sharing: {{link_hours: {hours}}}").troubles
    assert f"sharing.link_hours: {message}" in trouble
