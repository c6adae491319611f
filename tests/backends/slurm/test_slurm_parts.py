"""What can be asked of Slurm, and what its answers of several versions mean; without a Slurm."""

from __future__ import annotations

import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from gpucluster.backends.slurm import commands, jobs, script, site, slots
from gpucluster.backends.slurm.folder import JobFolder, telling
from gpucluster.backends.slurm.renewal import Renewal
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
        ({"gpu_type": "a100"}, "gpu_type needs GPUs: set gpus_per_node"),
        ({"gpus_per_node": 17}, "gpus_per_node"),
        ({"gpus_per_node": 4, "workers_per_job": 2}, "workers_per_job is for CPU workers: with GPUs a job has one"),
        ({"gpus_per_node": 4, "n_workers": 6}, "n_workers: each job has 4 workers, .*: ask for 4 or 8, not 6"),
        ({"workers_per_job": 3, "n_workers": 2}, "n_workers: each job has 3 workers, .*: ask for 3, not 2"),
        ({"workers_per_job": 4, "cores": 3}, "cores is 3, and the job's workers have 4 threads"),
        ({"memory_limit": "20%"}, "memory_limit: must be a size"),
        ({"memory_limit": "1 GiB", "memory_per_gpu": "1 GiB", "gpus_per_node": 1}, "exclude each other"),
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
        partition="main,gpu", account="proj", qos="high", walltime="2-00:00:00", gpus_per_node=1, gpu_type="a100",
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
    made = script.batch_script(spec(gpus_per_node=1, memory_per_gpu="60 GiB"), folder, "0123abcd")
    assert "#SBATCH --mem-per-gpu=61440M\n" in made
    assert "#SBATCH --gpus-per-node=1\n" in made


def test_a_job_with_several_workers(folder: JobFolder) -> None:
    asked = spec(n_workers=8, gpus_per_node=4, memory_limit="8 GiB", threads_per_worker=2)
    made = script.batch_script(asked, folder, "0123abcd")
    for line in ("--gres=gpu:4", "--cpus-per-task=8", "--mem=32G", "-n 1", "--nodes=1"):
        assert f"#SBATCH {line}\n" in made
    assert '\nCUDA_VISIBLE_DEVICES=$(echo "${CUDA_VISIBLE_DEVICES:-0,1,2,3}" | cut -d, -f-4)\n' in made
    assert f"--memory-limit {8 * 2**30} " in made, "of each worker"
    assert "--nworkers" not in made, "dask-cuda starts one for each GPU"
    made = script.batch_script(spec(workers_per_job=4, cores=6), folder, "0123abcd")
    assert "#SBATCH --cpus-per-task=6\n" in made
    assert " --nworkers 4 " in made
    assert "CUDA" not in made


@pytest.mark.parametrize(
    ("options", "given", "each"),
    [
        ({}, {"SLURM_MEM_PER_CPU": "500", "SLURM_CPUS_ON_NODE": "4"}, "2000MiB"),
        ({"workers_per_job": 4}, {"SLURM_MEM_PER_CPU": "500", "SLURM_CPUS_ON_NODE": "4"}, "500MiB"),
        ({"workers_per_job": 4}, {"SLURM_MEM_PER_NODE": "8000"}, "2000MiB"),
        ({"workers_per_job": 4}, {}, "auto"),
        ({"gpus_per_node": 4, "memory_per_gpu": "60 GiB"}, {"SLURM_MEM_PER_GPU": "61440"}, "61440MiB"),
        ({"gpus_per_node": 1, "memory_per_gpu": "60 GiB"}, {"SLURM_MEM_PER_GPU": "61440"}, "61440MiB"),
    ],
)
def test_workers_share_the_memory_of_their_job(
    folder: JobFolder, options: dict[str, Any], given: dict[str, str], each: str
) -> None:
    lines = script.batch_script(spec(**options), folder, "0123abcd").splitlines()
    (first,) = (number for number, line in enumerate(lines) if line.startswith("memory="))
    found = subprocess.run(
        ["bash"], input="\n".join([*lines[first : first + 2], 'echo "$memory"']), env=given, text=True,
        capture_output=True, check=True,
    )  # fmt: skip
    assert found.stdout.strip() == each


def test_whoever_sees_more_gpus_than_the_job_asked_for_uses_as_many_as_it_did(folder: JobFolder) -> None:
    lines = script.batch_script(spec(gpus_per_node=2), folder, "0123abcd").splitlines()
    cut = [line for line in lines if "CUDA_VISIBLE_DEVICES" in line]
    for seen, kept in (("3,1,0", "3,1"), ("GPU-1,GPU-2", "GPU-1,GPU-2"), ("", "0,1")):
        done = subprocess.run(
            ["bash", "-c", "\n".join([*cut, 'echo "$CUDA_VISIBLE_DEVICES"'])], env={"CUDA_VISIBLE_DEVICES": seen,
            "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout.strip() == kept


def test_the_earlier_name_of_gpus_per_node() -> None:
    assert spec(gpus_per_job=1) == spec(gpus_per_node=1)


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
            {"partition": "serial", "gpus_per_node": 1},
            "'serial' has no GPUs. Those with GPUs are boost, old",
        ),
        ({"gpus_per_node": 1, "gpu_type": "mi300"}, "no GPUs of the type 'mi300'. There are a100, h100."),
        ({"gpus_per_node": 8}, "gpus_per_node: no node of .* has 8 GPUs; the most that one has is 4."),
        ({"gpus_per_node": 4, "threads_per_worker": 9}, "no node of .* has 36 cores; the biggest has 32."),
        (
            {"gpus_per_node": 4, "memory_limit": "500 GiB"},
            "no node of .* has 2 TiB of memory, 500 GiB for each worker; the biggest has 976.6 GiB.",
        ),
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


def test_workers_of_a_job_come_one_by_one_and_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    slot = JobSlot("3", 2, job_id="7", submitted=100.0)
    runs = jobs.Job("7", "RUNNING", "None", None, NOON, "n1", "x")
    slot.saw({"7": runs}, begun=110.0)
    slot.update({"3-1"}, lambda slot: "gone")
    first, second = slot.models()
    assert (first.name, first.state, first.why, first.node) == ("3-0", "pending", "its job has begun on n1", None)
    assert (second.name, second.state, second.node, second.comes_with) == ("3-1", "running", "n1", "3")
    assert (slot.state, slot.complete) == ("running", False)
    slot.update({"3-0", "3-1"}, lambda slot: "gone")
    assert slot.complete
    slot.saw({}, begun=120.0)
    slot.update({"3-1"}, lambda slot: "gone")
    assert [model.state for model in slot.models()] == ["lost", "lost"], "Slurm knows better than the scheduler"


def test_when_a_worker_does_not_come_back_what_its_job_holds_goes_to_another_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slot = JobSlot("3", 2, job_id="7", submitted=100.0)
    renewal = Renewal(3600, {"3": slot})
    ends = datetime(2026, 11, 24, 12, 0)
    slot.saw({"7": jobs.Job("7", "RUNNING", "None", None, ends, "n1", "x")}, begun=110.0)
    slot.update({"3-0", "3-1"}, lambda slot: "gone")
    slot.update({"3-0"}, lambda slot: "gone")
    assert renewal.look(NOON) == ([], []), "its nanny starts it anew"
    monkeypatch.setattr(slots, "RETURN_SECONDS", -1.0)
    slot.update({"3-0"}, lambda slot: "gone")
    assert [model.state for model in slot.models()] == ["running", "pending"]
    assert renewal.look(NOON) == ([slot], [])
    assert renewal.look(NOON) == ([], [slot])
    assert renewal.notes(NOON) == []
    slot.update((), lambda slot: "gone")
    assert [model.state for model in slot.models()] == ["lost", "lost"]


def test_all_workers_of_a_job_hand_over_before_its_walltime_ends() -> None:
    found = {name: JobSlot(name, 2, job_id=name, submitted=100.0) for name in "12"}
    renewal = Renewal(3600, found)
    ends = {"1": datetime(2026, 11, 23, 12, 8), "2": datetime(2026, 11, 23, 13, 0)}
    for name, slot in found.items():
        slot.saw({name: jobs.Job(name, "RUNNING", "None", None, ends[name], "n1", "x")}, begun=110.0)
        slot.update(["1-0", "1-1", "2-0", "2-1"], lambda slot: "gone")
    assert renewal.look(NOON) == ([found["1"]], [])
    assert renewal.notes(NOON)[0].startswith("The walltime of 1 job ends at 12:08.")
    assert renewal.look(datetime(2026, 11, 23, 12, 3)) == ([], [found["1"]])


def test_the_script_has_no_error_of_syntax(folder: JobFolder, tmp_path: Path) -> None:
    in_a_container = spec(image="/x.sif", local_directory="/scratch")
    for asked in (spec(), spec(gpus_per_node=2), spec(gpus_per_node=1, memory_limit="1 GiB"), in_a_container):
        path = tmp_path / "script"
        path.write_text(script.batch_script(asked, folder, "0123abcd"))
        subprocess.run(["bash", "-n", str(path)], check=True)
