"""What can be asked of Slurm, and what its answers of several versions mean; without a Slurm."""

from __future__ import annotations

import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from gpucluster.backends.slurm import commands, jobs, script, site
from gpucluster.backends.slurm.folder import JobFolder, telling
from gpucluster.backends.slurm.slots import JobSlot
from gpucluster.protocol.errors import InvalidRequest, MissingPackage, PreflightFailed
from gpucluster.protocol.kinds import parse_spec
from gpucluster.protocol.slurmspec import SlurmSpec, walltime_seconds

NOON = datetime(2026, 11, 23, 12, 0)


def spec(**options: Any) -> SlurmSpec:
    found = parse_spec({"backend": "slurm", **options})
    assert isinstance(found, SlurmSpec)
    return found


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 1800), ("30:15", 1815), ("1:00:00", 3600), ("00:10:00", 600), ("2-12", 216000), ("1-00:30", 88200),
        ("2-12:00:01", 216001),
    ],
)  # fmt: skip
def test_limits_of_time_are_read_as_slurm_reads_them(text: str, seconds: int) -> None:
    assert walltime_seconds(text) == seconds
    assert walltime_seconds(site.spoken_limit(seconds)) == seconds


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"walltime": "soon"}, "walltime: 'soon' is not a time limit"),
        ({"walltime": "0"}, "walltime: must be a minute or more"),
        ({"partition": "main; rm -rf ~"}, "partition: may have letters"),
        ({"partition": "--wrap=true"}, "partition: may have letters"),
        ({"account": "a\n#SBATCH -p b"}, "account: may have letters"),
        ({"job_name": "$(id)"}, "job_name: may have letters"),
        ({"constraint": "a b"}, "constraint: must be features"),
        ({"constraint": "`id`"}, "constraint: must be features"),
        ({"directives": ["--exclusive\nid"]}, "directives: .* is not one line of text"),
        ({"directives": ["rm -rf ~"]}, "directives: .* is not an option of sbatch"),
        ({"directives": ["--array=0-9"]}, "directives: --array is set by the cluster itself"),
        ({"directives": ["--job-n=x"]}, "directives: --job-n is set by the cluster itself, or short"),
        ({"directives": ["-p x"]}, "directives: -p has a field of its own: partition"),
        ({"job_script_prologue": ["a\x1bb"]}, "job_script_prologue: .* is not one line"),
        ({"modules": ["cuda; id"]}, "modules: .* is not the name of a module"),
        ({"image": "relative.sif"}, "image: must be an absolute path"),
        ({"python": "/bin/python $(id)"}, "python: must be an absolute path"),
        ({"shared_directory": "/a b"}, "shared_directory: must be an absolute path"),
        ({"gpu_type": "a100"}, "gpu_type needs gpus_per_job=1"),
        ({"gpus_per_job": 2}, "gpus_per_job"),
        ({"memory_limit": "20%"}, "memory_limit: must be a size"),
        ({"memory_limit": "1 GiB", "memory_per_gpu": "1 GiB", "gpus_per_job": 1}, "exclude each other"),
        ({"cores": 1, "threads_per_worker": 2}, "cores is 1, and the worker has 2 threads"),
        ({"rmm_pool_size": "1 GiB"}, "rmm_pool_size is for workers with a GPU"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidRequest, match=told):
        spec(**options)


def test_lists_may_be_text() -> None:
    assert spec(modules="gcc\ncuda/12.4\n").modules == ["gcc", "cuda/12.4"]


@pytest.fixture
def folder(tmp_path: Path) -> JobFolder:
    return JobFolder(tmp_path, "0123abcd")


def test_the_script_is_shell_that_says_what_was_asked_for(folder: JobFolder, tmp_path: Path) -> None:
    asked = spec(
        partition="main,gpu", account="proj", qos="high", walltime="2-00:00:00", gpus_per_job=1, gpu_type="a100",
        memory_limit="8 GiB", constraint="a100&nvlink|h100", directives=["--exclusive", "--mail-type=END"],
        modules=["cuda/12.4"], job_script_prologue=["source ~/env/bin/activate"], env={"TOKEN": "secret"},
        preload=["/it's/here.py"], resources={"GPU": 1}, rmm_pool_size="50%", enable_cudf_spill=True, cores=8,
    )  # fmt: skip
    made = script.batch_script(asked, folder, "0123abcd", "tls://10.0.0.1:8786")
    for line in (
        "-J gpucluster-0123abcd", "-p main,gpu", "-A proj", "-t 2-00:00:00", "--mem=8G", "--cpus-per-task=8",
        "--qos=high", "--gres=gpu:a100:1", "--constraint=a100&nvlink|h100", "--exclusive", "--mail-type=END",
        "--no-requeue", "--nodes=1",
    ):  # fmt: skip
        assert f"#SBATCH {line}\n" in made
    assert "secret" not in made
    worker = made.splitlines()[-1]
    assert " -m dask_cuda.cli tls://10.0.0.1:8786 " in worker
    assert "--rmm-pool-size 0.5" in worker
    assert "--nanny" not in worker
    (tmp_path / "script").write_text(made)


def test_memory_is_what_the_partition_gives_unless_it_is_named(folder: JobFolder) -> None:
    made = script.batch_script(spec(), folder, "0123abcd")
    assert "#SBATCH --mem" not in made
    assert '--memory-limit "$memory"' in made
    made = script.batch_script(spec(gpus_per_job=1, memory_per_gpu="60 GiB"), folder, "0123abcd")
    assert "#SBATCH --mem-per-gpu=61440M\n" in made
    assert "#SBATCH --gpus-per-node=1\n" in made


def test_a_container_sees_the_folder_and_the_scratch(folder: JobFolder) -> None:
    made = script.batch_script(spec(image="/images/rapids.sif"), folder, "0123abcd")
    assert f'\napptainer exec --bind {folder.path} --bind "$scratch" /images/rapids.sif python3 -P -m ' in made


def test_without_dask_jobqueue(folder: JobFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "dask_jobqueue.slurm", None)
    with pytest.raises(MissingPackage, match=r"need the package dask-jobqueue .* pip install 'gpucluster\[slurm\]'"):
        script.batch_script(spec(), folder, "0123abcd")


def test_no_slurm_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(PreflightFailed, match="There is no Slurm here: the command 'sbatch' is not on the PATH"):
        commands.must_have_slurm()


def test_what_a_job_inherits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "SBATCH_ACCOUNT": "mine", "SBATCH_PARTITION": "theirs", "SBATCH_ARRAY_INX": "0-9", "SLURM_MEM_PER_NODE": "9",
        "SLURM_CONF": "/etc/x", "SQUEUE_STATES": "R", "TOKEN": "secret", "OTHER": "1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    found = commands.environment({"partition"}, without={"TOKEN"})
    assert found["SBATCH_ACCOUNT"] == "mine", "a default of somebody's own"
    assert found["SLURM_CONF"] == "/etc/x"
    assert found["OTHER"] == "1"
    assert {"SBATCH_PARTITION", "SBATCH_ARRAY_INX", "SLURM_MEM_PER_NODE", "SQUEUE_STATES", "TOKEN"}.isdisjoint(found)


# -- what Slurm says --------------------------------------------------------------------------------

SINFO = """\
boost*|up|1-00:00:00|3456|32|494000|gpu:a100:4(S:0-1)|a100,nvlink
boost*|up|1-00:00:00|12|32+|1000000+|gpu:h100:4,tmpfs:1T|h100
serial|up|4:00:00|2|4|30800|(null)|(null)
old|down|infinite|4|8|8000|gpu:2|k80
broken line
"""


def test_what_the_site_has() -> None:
    found = site.Site(site.parse(SINFO))
    assert found.default == "boost"
    boost, serial, old = found.partitions.values()
    assert (boost.nodes, boost.cores, boost.most_seconds) == (3468, 32, 86400)
    assert (boost.gpus, boost.features) == ({"a100": 4, "h100": 4}, {"a100", "nvlink", "h100"})
    assert (serial.gpus, serial.up, serial.memory_bytes) == ({}, True, 30800 * 2**20)
    assert (old.gpus, old.up, old.most_seconds) == ({"": 2}, False, None)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"partition": "gpu"}, "partition: Slurm has no partition 'gpu' here. There are boost, serial."),
        ({"partition": "old"}, "partition: the partition 'old' takes no jobs now"),
        (
            {"partition": "serial", "walltime": "8:00:00"},
            "walltime: 8:00:00 is more .* allows, 04:00:00.",
        ),
        (
            {"partition": "serial", "gpus_per_job": 1},
            "'serial' has no GPUs. Those with GPUs are boost, old",
        ),
        ({"gpus_per_job": 1, "gpu_type": "mi300"}, "no GPUs of the type 'mi300'. There are a100, h100."),
    ],
)
def test_what_the_site_has_not(options: dict[str, Any], told: str) -> None:
    with pytest.raises(PreflightFailed, match=told):
        site.check(spec(**options), site.Site(site.parse(SINFO)))


def test_a_site_that_tells_nothing_refuses_nothing() -> None:
    site.check(spec(partition="any"), site.Site({}))


def test_jobs_in_the_queue() -> None:
    found = jobs.parse(
        "12|PENDING|(Resources)|2026-11-23T14:20:00|N/A||gpucluster-0123abcd-0\n"
        "13|PENDING|Priority|2026-11-25T09:05:00|N/A||gpucluster-0123abcd-1\n"
        "14|RUNNING|None|2026-11-23T11:00:00|2026-11-23T13:00:00|n1|a|b\n"
        "15|PENDING|PartitionTimeLimit|N/A|N/A||x\n"
        "slurm_load_jobs error: something else\n"
    )
    waits, later, runs, never = found
    assert waits.why_it_waits(NOON) == "Resources, expected 14:20"
    assert later.why_it_waits(NOON) == "Priority, expected 25 Nov 09:05"
    assert (runs.name, runs.why_it_waits(NOON)) == ("a|b", "its job has begun on n1")
    assert never.why_it_waits(NOON) == "PartitionTimeLimit: the walltime is more than the partition allows"


@pytest.mark.parametrize(
    ("state", "printed", "told"),
    [
        ("OUT_OF_MEMORY", None, "it used more memory than its limit of 2 GiB; ask for more with memory_limit"),
        ("FAILED", "slurmstepd: error: Exceeded job memory limit", "it used more memory than its limit of 2 GiB"),
        ("TIMEOUT", None, "the walltime of 01:00:00 was over"),
        ("NODE_FAIL", None, "its node failed (n1)"),
        ("PREEMPTED", None, "more urgent jobs took its place on n1"),
        ("CANCELLED", None, "somebody cancelled its job 7"),
        (
            "FAILED",
            "slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-23T13:30:00 ***",
            "somebody cancelled its",
        ),
        ("FAILED", "bash: python: command not found", "its job 7 failed on n1: bash: python: command not found"),
    ],
)
def test_why_a_job_is_over(state: str, printed: str | None, told: str) -> None:
    job = jobs.Job("7", state, "None", None, None, "n1", "x")
    assert job.over
    assert told in job.how_it_ended("01:00:00", "2 GiB", printed)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified",
         "account: Slurm does not take this account with this partition (Slurm: Invalid account or "
         "account/partition combination specified)"),
        ("sbatch: error: Batch job submission failed: Invalid qos specification", "qos: Slurm does not take"),
        ("sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates "
         "accounting/QOS policy (job submit limit, user's size and/or time limits)",
         "Slurm's limits for you, your account or the QOS do not allow it (Slurm: QOSMaxSubmitJobPerUserLimit)"),
        ("sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)",
         "walltime: it is more than the partition, the account or the QOS allows"),
        ("sbatch: unrecognized option '--nonsense'\nTry \"sbatch --help\" for more information",
         "Slurm refused the job: unrecognized option '--nonsense'"),
        ("", "Slurm refused the job: it did not say why"),
    ],
)  # fmt: skip
def test_refusals_are_sentences(said: str, told: str) -> None:
    assert commands.refusal(said).startswith(told)


def test_the_line_that_tells_most() -> None:
    assert telling([]) is None
    assert telling(["/var/spool/job7/slurm_script: line 9: /x/python: No such file or directory"]) == (
        "/x/python: No such file or directory"
    )


# -- slots -------------------------------------------------------------------------------------------


def test_a_job_that_slurm_has_forgotten_is_gone() -> None:
    slot = JobSlot("0", job_id="7", submitted=100.0)
    slot.saw({}, begun=99.0)
    assert not slot.over, "the look was older than the job"
    slot.saw({}, begun=102.0)
    assert not slot.over, "a controller that is busy lists it a little later"
    slot.saw({}, begun=120.0)
    assert slot.over
    slot.update((), lambda slot: "gone")
    assert (slot.state, slot.why) == ("failed", "gone")


def test_the_script_has_no_error_of_syntax(folder: JobFolder, tmp_path: Path) -> None:
    for asked in (spec(), spec(gpus_per_job=1, memory_limit="1 GiB"), spec(image="/x.sif", local_directory="/scratch")):
        path = tmp_path / "script"
        path.write_text(script.batch_script(asked, folder, "0123abcd"))
        subprocess.run(["bash", "-n", str(path)], check=True)
