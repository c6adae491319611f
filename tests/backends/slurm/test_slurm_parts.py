"""Options for Slurm, and its answers in several versions; without a Slurm."""

import os
import subprocess
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Any

import psutil
import pytest
from gpucluster.backends.slurm import commands, job_files, site, slots
from gpucluster.backends.slurm.backend import SlurmBackend
from gpucluster.backends.slurm.job_files import JobFolder, contents, error_line
from gpucluster.backends.slurm.slots import JobSlot
from gpucluster.backends.slurm.spec import SlurmSpec
from gpucluster.backends.slurm.upkeep import Endings, Renewal
from gpucluster.protocol.durations import slurm_clock, walltime_seconds
from gpucluster.protocol.errors import MissingPackage, PreflightFailed
from gpucluster.protocol.kinds import parse_spec

NOON = datetime(2026, 11, 23, 12, 0)


def spec(**options: Any) -> SlurmSpec:
    found = parse_spec({"backend": "slurm", **options})
    assert isinstance(found, SlurmSpec)
    return found


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30", 1800), ("30:15", 1815), ("1:00:00", 3600), ("00:10:00", 600), ("2-12", 216000), ("1-00:30", 88200),
        ("2-12:00:01", 216001), ("00:90:00", 5400), ("90:60", 5460), ("00:120:99", 7299), ("1-24:00:00", 172800),
    ],
)  # fmt: skip
def test_time_limits_are_read_like_slurms(text, seconds):
    assert walltime_seconds(text) == seconds
    assert walltime_seconds(slurm_clock(seconds)) == seconds


def test_lists_may_be_text():
    assert spec(modules="gcc\ncuda/12.4\n").modules == ["gcc", "cuda/12.4"]


@pytest.fixture
def folder(tmp_path):
    return JobFolder(tmp_path, "0123abcd")


def bash(made: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a script in bash with only these variables; its errors are in the output."""
    env = {"PATH": "/usr/bin:/bin", **(env or {})}
    return subprocess.run(
        ["/bin/bash", "-c", made], env=env, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("base", ["/proc", "/proc/1/x", "file", "file/below", "open"])
def test_unusable_shared_directory_is_refused(tmp_path, base):
    (tmp_path / "file").touch()
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    folder = JobFolder(tmp_path / base, "0123abcd")
    for look in (folder.require_possible, folder.require_usable):
        with pytest.raises(PreflightFailed, match=r"^shared_directory: "):
            look()


def test_check_of_the_shared_directory_makes_nothing(tmp_path):
    folder = JobFolder(tmp_path / "a" / "b", "0123abcd")
    folder.require_possible()
    assert not list(tmp_path.iterdir())
    folder.require_usable()
    assert not list((tmp_path / "a" / "b").iterdir())


def test_script_has_the_requested_options(folder):
    requested = spec(
        partition="main,gpu", account="proj", qos="high", walltime="2-00:00:00", gpus_per_node=1, gpu_type="a100",
        memory_limit="8 GiB", constraint="a100&nvlink|h100", directives=["--exclusive", "--mail-type=END"],
        modules=["cuda/12.4"], job_script_prologue=["source ~/env/bin/activate"], env={"TOKEN": "secret"},
        preload=["/it's/here.py"], resources={"GPU": 1}, rmm_pool_size="50%", enable_cudf_spill=True, cores=8,
    )  # fmt: skip
    made = job_files.batch_script(requested, folder, "0123abcd", "tls://10.0.0.1:8786")
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


def test_memory_defaults_to_that_of_the_partition(folder):
    made = job_files.batch_script(spec(), folder, "0123abcd")
    assert "#SBATCH --mem" not in made
    assert '--memory-limit "$memory"' in made
    made = job_files.batch_script(spec(gpus_per_node=1, memory_per_gpu="60 GiB"), folder, "0123abcd")
    assert "#SBATCH --mem-per-gpu=61440M\n" in made
    assert "#SBATCH --gpus-per-node=1\n" in made


def test_a_job_with_several_workers(folder):
    requested = spec(n_workers=8, gpus_per_node=4, memory_limit="8 GiB", threads_per_worker=2)
    made = job_files.batch_script(requested, folder, "0123abcd")
    for line in ("--gres=gpu:4", "--cpus-per-task=8", "--mem=32G", "-n 1", "--nodes=1"):
        assert f"#SBATCH {line}\n" in made
    assert '\nCUDA_VISIBLE_DEVICES=$(echo "${CUDA_VISIBLE_DEVICES:-0,1,2,3}" | cut -d, -f-4)\n' in made
    assert f"--memory-limit {8 * 2**30} " in made, "of each worker"
    assert "--nworkers" not in made, "dask-cuda starts one for each GPU"
    made = job_files.batch_script(spec(workers_per_job=4, cores=6), folder, "0123abcd")
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
def test_workers_share_the_memory_of_their_job(folder, options, given, each):
    lines = job_files.batch_script(spec(**options), folder, "0123abcd").splitlines()
    (first,) = (number for number, line in enumerate(lines) if line.startswith("memory="))
    assert bash("\n".join([*lines[first : first + 2], 'echo "$memory"']), given).stdout.strip() == each


def test_job_uses_only_as_many_gpus_as_requested(folder):
    lines = job_files.batch_script(spec(gpus_per_node=2), folder, "0123abcd").splitlines()
    cut = [line for line in lines if "CUDA_VISIBLE_DEVICES" in line]
    for seen, kept in (("3,1,0", "3,1"), ("GPU-1,GPU-2", "GPU-1,GPU-2"), ("", "0,1")):
        done = bash("\n".join([*cut, 'echo "$CUDA_VISIBLE_DEVICES"']), {"CUDA_VISIBLE_DEVICES": seen})
        assert done.stdout.strip() == kept


def test_smaller_job_requests_less(folder):
    requested = spec(gpus_per_node=4, memory_limit="8 GiB", cores=30)
    assert job_files.smaller_job(requested, 2, folder, "ID") == ["--cpus-per-task=15", "--mem=16G", "--gres=gpu:2"]
    assert job_files.smaller_job(spec(workers_per_job=4), 3, folder, "ID") == ["--cpus-per-task=3"]
    assert requested.with_workers(1).workers_in_job == 1


def test_job_on_several_nodes_runs_the_same_on_each(folder):
    made = job_files.batch_script(spec(nodes_per_job=2, gpus_per_node=4, memory_limit="8 GiB"), folder, "0123abcd")
    for line in ("--nodes=2", "--ntasks-per-node=1", "--gres=gpu:4", "--cpus-per-task=4", "--mem=32G"):
        assert f"#SBATCH {line}\n" in made
    assert "#SBATCH -n 1" not in made
    *lines, last = made.splitlines()
    assert last.startswith("srun --ntasks-per-node=1 --cpus-per-task=4 ")
    begin, end = lines.index("read -r -d '' on_each_node <<'END_OF_EACH_NODE'"), lines.index("END_OF_EACH_NODE")
    assert '--name "$1-$SLURM_NODEID"' in lines[end - 1]
    assert subprocess.run(["bash", "-n"], input="\n".join(lines[begin + 1 : end]), text=True, check=True)
    assert spec(nodes_per_job=2).workers_in_job == 2, "one on each"


@pytest.mark.parametrize(
    ("there", "n", "stay", "leave", "too_big", "missing"),
    [
        ("", 6, "", "", "", [4, 2]), ("4R 4R", 8, "4R 4R", "", "", []), ("4R 4R", 4, "4R", "4R", "", []),
        ("4R 4R", 6, "4R", "", "4R", [2]), ("4R", 2, "", "", "4R", [2]), ("4P", 2, "", "4P", "", [2]),
        ("4R 2P", 2, "2P", "", "4R", []), ("4R 2R", 2, "2R", "4R", "", []), ("4P 4R", 4, "4R", "4P", "", []),
        ("4R 2R", 0, "", "2R 4R", "", []), ("4R 2R", 8, "4R 2R", "", "", [2]),
    ],
)  # fmt: skip
def test_fit_of_jobs_to_a_number_of_workers(there, n, stay, leave, too_big, missing):
    jobs_there = [JobSlot(str(number), int(text[0])) for number, text in enumerate(there.split())]
    for slot, text in zip(jobs_there, there.split(), strict=True):
        slot.state = slots.SlotState.RUNNING if text[1] == "R" else slots.SlotState.PENDING
    found = slots.fit(jobs_there, n, 4, whole=False)
    jobs_of = [" ".join(f"{slot.size}{'R' if slot.has_workers else 'P'}" for slot in each) for each in
            (found.stay, found.leave, found.too_big)]  # fmt: skip
    assert (jobs_of, found.missing) == ([stay, leave, too_big], missing)


def test_spread_over_jobs_is_described():
    assert slots.in_words([4, 4]) is None
    assert slots.in_words([4, 4, 2]) == "10 workers are 3 jobs: 2 with 4 and 1 with 2"
    assert slots.job_sizes(6, 4, whole=True) == [4, 4]


def test_nodes_of_a_list():
    assert commands.node_names("n1") == ["n1"]
    assert commands.node_names("n[1-3,7],m02") == ["n1", "n2", "n3", "n7", "m02"]
    assert commands.node_names("r1[08-10]x") == ["r108x", "r109x", "r110x"]
    assert commands.node_names("") == []


def test_the_earlier_name_of_gpus_per_node():
    assert spec(gpus_per_job=1) == spec(gpus_per_node=1)


def test_a_container_sees_the_folder_and_the_scratch(folder):
    made = job_files.batch_script(spec(image="/images/rapids.sif"), folder, "0123abcd")
    assert f'\napptainer exec --bind {folder.path} --bind "$scratch" /images/rapids.sif python3 -P -m ' in made


def test_without_dask_jobqueue(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "dask_jobqueue.slurm", None)
    with pytest.raises(MissingPackage, match=r"need the package dask-jobqueue .* pip install 'gpucluster\[slurm\]'"):
        job_files.batch_script(spec(), folder, "0123abcd")


def test_no_slurm_here(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(PreflightFailed, match="Slurm is not available here: the command 'sbatch' is not on the PATH"):
        commands.require_slurm()


def test_environment_of_jobs(monkeypatch):
    for name, value in {
        "SBATCH_ACCOUNT": "mine", "SBATCH_PARTITION": "theirs", "SBATCH_ARRAY_INX": "0-9", "SLURM_MEM_PER_NODE": "9",
        "SLURM_CONF": "/etc/x", "SQUEUE_STATES": "R", "TOKEN": "secret", "OTHER": "1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    found = commands.environment({"partition"}, without={"PATH", "HOME", "TOKEN"})
    assert (found["PATH"], found["HOME"]) == (os.environ["PATH"], os.environ["HOME"]), "commands need them"
    assert found["SBATCH_ACCOUNT"] == "mine", "a default of the user"
    assert found["SLURM_CONF"] == "/etc/x"
    assert found["OTHER"] == "1"
    assert {"SBATCH_PARTITION", "SBATCH_ARRAY_INX", "SLURM_MEM_PER_NODE", "SQUEUE_STATES", "TOKEN"}.isdisjoint(found)


# -- answers of Slurm -------------------------------------------------------------------------------

SINFO = """\
boost*|up|1-00:00:00|3456|32|494000|gpu:a100:4(S:0-1)|a100,nvlink
boost*|up|1-00:00:00|12|32+|1000000+|gpu:h100:4,tmpfs:1T|h100
serial|up|4:00:00|2|4|30800|(null)|(null)|NO
whole|up|4:00:00|2|4|30800|(null)|(null)|EXCLUSIVE
old|down|infinite|4|8|8000|gpu:2|k80
broken line
"""


def test_partitions_of_the_site_are_parsed():
    found = site.Site(site.parse(SINFO))
    assert found.default == "boost"
    boost, serial, whole, old = found.partitions.values()
    assert (serial.exclusive, whole.exclusive) == (False, True)
    assert (boost.nodes, boost.cores, boost.most_seconds) == (3468, 32, 86400)
    assert boost.gpus == {"a100": 4, "h100": 4}
    assert (serial.gpus, serial.up, serial.memory_bytes) == ({}, True, 30800 * 2**20)
    assert (old.gpus, old.up, old.most_seconds) == ({"": 2}, False, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"partition": "gpu"}, "partition: Slurm has no partition 'gpu' here. Available: boost, serial, whole."),
        ({"partition": "old"}, "partition: the partition 'old' accepts no jobs now"),
        ({"partition": "serial", "walltime": "8:00:00"}, "walltime: 8:00:00 is more .* allows, 04:00:00."),
        ({"partition": "serial", "gpus_per_node": 1}, "'serial' has no GPUs. Those with GPUs are boost, old"),
        ({"gpus_per_node": 1, "gpu_type": "mi300"}, "no GPUs of the type 'mi300'. Available: a100, h100."),
        ({"gpus_per_node": 8}, "gpus_per_node: no node of .* has 8 GPUs; the maximum is 4."),
        ({"gpus_per_node": 4, "threads_per_worker": 9}, "no node of .* has 36 cores; the largest has 32."),
        ({"partition": "serial", "nodes_per_job": 3}, "nodes_per_job: the partition 'serial' has 2 nodes, not 3."),
        (
            {"partition": "whole", "workers_per_job": 4, "n_workers": 6},
            "n_workers: the partition 'whole' allocates only whole nodes, and .*: use 4 or 8, not 6.",
        ),
        (
            {"gpus_per_node": 4, "memory_limit": "500 GiB"},
            "no node of .* has 2 TiB of memory, 500 GiB for each worker; the largest has 976.6 GiB.",
        ),
    ],
)
def test_requests_that_the_site_cannot_serve_are_refused(options, message):
    with pytest.raises(PreflightFailed, match=message):
        site.check(spec(**options), site.Site(site.parse(SINFO)))


def test_unknown_site_refuses_nothing():
    site.check(spec(partition="any"), site.Site({}))


def test_jobs_in_the_queue():
    found = commands.parse(
        "12|PENDING|(Resources)|2026-11-23T14:20:00|N/A||gpucluster-0123abcd-0|(null)\n"
        "13|PENDING|Priority|2026-11-25T09:05:00|N/A||gpucluster-0123abcd-1|a|b\n"
        "14|RUNNING|None|2026-11-23T11:00:00|2026-11-23T13:00:00|n1|a|b|(null)\n"
        "15|PENDING|PartitionTimeLimit|N/A|N/A||x|(null)\n"
        "slurm_load_jobs error: something else\n"
    )
    waits, later, runs, never = found
    assert waits.why_it_waits(NOON) == "Resources, expected 14:20"
    assert later.why_it_waits(NOON) == "Priority, expected 25 Nov 09:05"
    assert (waits.comment, later.name, later.comment) == ("", "gpucluster-0123abcd-1", "a|b")
    assert runs.why_it_waits(NOON) == "its job has started on n1"
    assert never.why_it_waits(NOON) == "PartitionTimeLimit: the walltime is more than the partition allows"


@pytest.mark.parametrize(
    ("state", "printed", "message"),
    [
        ("OUT_OF_MEMORY", None, "it used more memory than its limit of 2 GiB; request more with memory_limit"),
        ("FAILED", "slurmstepd: error: Exceeded job memory limit", "it used more memory than its limit of 2 GiB"),
        ("TIMEOUT", None, "it reached its walltime of 01:00:00"),
        ("NODE_FAIL", None, "its node failed (n1)"),
        ("PREEMPTED", None, "it was preempted by more urgent jobs on n1"),
        ("CANCELLED", None, "its job 7 was cancelled"),
        ("FAILED", "slurmstepd-n1: error: *** JOB 7 ON n1 CANCELLED AT 2026-11-23T13:30:00 ***", "was cancelled"),
        ("FAILED", "bash: python: command not found", "its job 7 failed on n1: bash: python: command not found"),
    ],
)
def test_end_of_a_job_is_explained(state, printed, message):
    job = commands.Job("7", state, "None", None, None, "n1", "x")
    assert job.over
    assert message in job.how_it_ended("01:00:00", "2 GiB", printed)


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified",
         "account: Slurm does not accept this account with this partition (Slurm: Invalid account or "
         "account/partition combination specified)"),
        ("sbatch: error: Batch job submission failed: Invalid qos specification", "qos: Slurm does not accept"),
        ("sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates "
         "accounting/QOS policy (job submit limit, user's size and/or time limits)",
         "Slurm's limits for you, your account or the QOS do not allow it (Slurm: QOSMaxSubmitJobPerUserLimit)"),
        ("sbatch: error: Batch job submission failed: Requested time limit is invalid (missing or exceeds some limit)",
         "walltime: it is more than the partition, the account or the QOS allows"),
        ("sbatch: unrecognized option '--nonsense'\nTry \"sbatch --help\" for more information",
         "Slurm rejected the job: unrecognized option '--nonsense'"),
        ("", "Slurm rejected the job: without a reason"),
    ],
)  # fmt: skip
def test_refusals_are_explained(error, message):
    assert commands.refusal(error).startswith(message)


def test_zero_bytes_in_output_hide_nothing(folder):
    folder.make(contents(None, {}, ""))
    assert not folder.was_there("x", "7")
    folder.output("x", "7").write_bytes(b"begins\n" + b"\0" * 9000 + b"no such licence\n")
    assert folder.was_there("x", "7")
    assert error_line(folder.last_words("x", "7")) == "no such licence"


async def test_output_of_ended_jobs_is_limited(folder):
    folder.make(contents(None, {}, ""))
    ended = Endings(folder, "x-", "01:00:00", 0, lambda kind, message: None)
    for number in range(25):
        folder.output(f"x-{number}", f"{number + 100}").write_text(f"error: number {number}\n")
        slot = JobSlot(str(number), job_id=f"{number + 100}")
        await ended.learn(slot, commands.Job(slot.job_id or "", "FAILED", "None", None, None, "n1", f"x-{number}"))
        assert f"error: number {number}" in ended.of(slot)
    assert len(list(folder.log.iterdir())) == 20
    assert not folder.output("x-4", "104").exists()
    assert folder.output("x-5", "105").exists()


def test_error_line_is_the_most_relevant_one():
    assert error_line([]) is None
    line = "/x/python: No such file or directory"
    assert error_line([f"/var/spool/job7/slurm_script: line 9: {line}"]) == line


# -- slots -------------------------------------------------------------------------------------------


def test_job_missing_in_the_queue_is_over():
    slot = JobSlot("0", job_id="7", submitted=100.0)
    slot.saw({}, begun=99.0)
    assert not slot.over, "the look was older than the job"
    slot.saw({}, begun=102.0)
    assert not slot.over, "a controller that is busy lists it a little later"
    slot.saw({}, begun=120.0)
    assert slot.over
    slot.update((), lambda slot: "gone")
    assert (slot.state, slot.why) == ("failed", "gone")


def test_workers_of_a_job_start_separately_and_end_together():
    slot = JobSlot("3", 2, job_id="7", submitted=100.0)
    runs = commands.Job("7", "RUNNING", "None", None, NOON, "n1", "x")
    slot.saw({"7": runs}, begun=110.0)
    slot.update({"3-1"}, lambda slot: "gone")
    first, second = slot.models()
    assert (first.name, first.state, first.why, first.node) == ("3-0", "pending", "its job has started on n1", None)
    assert (second.name, second.state, second.node, second.comes_with) == ("3-1", "running", "n1", "3")
    assert (slot.state, slot.complete) == ("running", False)
    slot.update({"3-0", "3-1"}, lambda slot: "gone")
    assert slot.complete
    slot.saw({}, begun=120.0)
    slot.update({"3-1"}, lambda slot: "gone")
    assert [model.state for model in slot.models()] == ["lost", "lost"], "Slurm knows better than the scheduler"


def test_job_with_a_missing_worker_is_replaced(monkeypatch):
    slot = JobSlot("3", 2, job_id="7", submitted=100.0)
    renewal = Renewal(3600, {"3": slot})
    ends = datetime(2026, 11, 24, 12, 0)
    slot.saw({"7": commands.Job("7", "RUNNING", "None", None, ends, "n1", "x")}, begun=110.0)
    slot.update({"3-0", "3-1"}, lambda slot: "gone")
    slot.update({"3-0"}, lambda slot: "gone")
    assert renewal.look(NOON) == ([], []), "its nanny restarts it"
    monkeypatch.setattr(slots, "RETURN_SECONDS", -1.0)
    slot.update({"3-0"}, lambda slot: "gone")
    assert [model.state for model in slot.models()] == ["running", "pending"]
    assert renewal.look(NOON) == ([slot], [])
    assert renewal.look(NOON) == ([], [slot])
    assert renewal.notes(NOON) == []
    slot.update((), lambda slot: "gone")
    assert [model.state for model in slot.models()] == ["lost", "lost"]


def test_results_of_all_workers_of_a_job_move_before_its_walltime_ends():
    found = {name: JobSlot(name, 2, job_id=name, submitted=100.0) for name in "12"}
    renewal = Renewal(3600, found)
    ends = {"1": datetime(2026, 11, 23, 12, 8), "2": datetime(2026, 11, 23, 13, 0)}
    for name, slot in found.items():
        slot.saw({name: commands.Job(name, "RUNNING", "None", None, ends[name], "n1", "x")}, begun=110.0)
        slot.update(["1-0", "1-1", "2-0", "2-1"], lambda slot: "gone")
    assert renewal.look(NOON) == ([found["1"]], [])
    assert renewal.notes(NOON)[0].startswith("The walltime of 1 job ends at 12:08.")
    assert renewal.look(datetime(2026, 11, 23, 12, 3)) == ([], [found["1"]])


def test_scripts_have_valid_syntax(folder, tmp_path):
    requested = [spec(), spec(gpus_per_node=2), spec(gpus_per_node=1, memory_limit="1 GiB"), spec(nodes_per_job=2)]
    requested.append(spec(image="/x.sif", local_directory="/scratch"))
    folders = folder, JobFolder(tmp_path, "0123abcd", shared=False)
    for make, each, where in product((job_files.batch_script, job_files.scheduler_script), requested, folders):
        subprocess.run(["bash", "-n"], input=make(each, where, "0123abcd"), text=True, check=True)


def test_script_without_shared_storage_has_no_shared_paths(tmp_path):
    apart = JobFolder(tmp_path, "0123abcd", shared=False)
    made = job_files.batch_script(spec(), apart, "0123abcd")
    assert str(tmp_path) not in made
    assert "#SBATCH --output=/dev/null\n" in made
    assert '--tls-key "$gpucluster_own"/given/tls/key.pem' in made
    assert "@own@" not in made


def test_script_of_the_scheduler_job(folder):
    requested = spec(
        scheduler="job", scheduler_partition="serial", scheduler_memory="4 GiB", gpus_per_node=4, nodes_per_job=2,
        directives=["--gres=x:1", "--reservation=school"], constraint="a100", account="proj", walltime="02:00:00",
    )  # fmt: skip
    made = job_files.scheduler_script(requested, folder, "0123abcd")
    for line in ("-p serial", "-A proj", "-t 1-00:00:00", "--cpus-per-task=1", "--mem=4G", "--reservation=school",
                 "--nodes=1", "-n 1"):  # fmt: skip
        assert f"#SBATCH {line}\n" in made
    assert not any(word in made for word in ("gpu:", "a100", "--gres", "mktemp"))
    assert made.splitlines()[-1].endswith(f"--folder {folder.path} --names gpucluster-0123abcd- --protocol tls")
    there = site.Site(site.parse(SINFO))
    assert site.with_scheduler_walltime(requested, there).scheduler_walltime == "04:00:00"
    longer = requested.model_copy(update={"scheduler_walltime": "8:00:00"})
    with pytest.raises(PreflightFailed, match="scheduler_walltime: 8:00:00 is more than the partition 'serial' allows"):
        site.check_scheduler(longer, there)
    with pytest.raises(PreflightFailed, match="scheduler_memory: no node of the partition 'serial' has 400 GiB"):
        site.check_scheduler(requested.model_copy(update={"scheduler_memory": 400 * 2**30}), there)


def test_jobs_that_were_not_cancelled_are_named():
    left = {"names": "dask-0badcafe-", "jobs": ["7", "9"]}
    message = "They are the Slurm jobs whose names begin with dask-0badcafe-"
    assert SlurmBackend().left_behind(left) == f"{message}. By hand: scancel 7 9"
    assert SlurmBackend().left_behind({**left, "jobs": []}) == f"{message}, if there are any."


def head_of(made: str, last: str) -> str:
    """Replace the last line of a script, which starts the worker."""
    return "\n".join([*made.splitlines()[:-1], last])


@pytest.mark.parametrize(
    ("options", "env", "message"),
    [
        ({}, {"PATH": "/nonexistent"}, "mktemp is not on the PATH of this node ('/nonexistent'): check env, "),
        ({}, {"TMPDIR": "/dev/null"}, "cannot create a folder in /dev/null on this node: set local_directory, or "),
        ({"local_directory": "/dev/null/x"}, {}, "cannot create a folder in /dev/null/x on this node: choose another"),
    ],
)
def test_job_without_a_scratch_folder_reports_why(folder, tmp_path, options, env, message):
    folder.make(contents(None, env, ""))
    made = job_files.batch_script(spec(**options), folder, "0123abcd")
    done = bash(head_of(made, "echo worked"))
    assert done.returncode == 1
    assert message in (error_line(done.stdout.splitlines()) or "")


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("moment", ["mktemp", "mkdir", "chmod"])
def test_job_cancelled_during_its_start_leaves_no_folder(tmp_path, shared, moment):
    folder = JobFolder(tmp_path / "shared", "0123abcd", shared=shared)
    folder.require_usable()
    if shared:
        folder.make(contents(None, {"TMPDIR": str(tmp_path)}, ""))
    made = head_of(job_files.batch_script(spec(), folder, "0123abcd"), "chmod 700 .")
    if not shared:
        made = made.replace("/tmp/", f"{tmp_path}/").split("\necho ")[0] + "\nchmod 700 ."
    programs = tmp_path / "programs"
    programs.mkdir()
    ends = programs / moment
    ends.write_text(f'#!/bin/sh\nif [ "$1" != 600 ]; then /bin/{moment} "$@"; kill -TERM $PPID; sleep 0.2; fi\n')
    ends.chmod(0o700)
    assert bash(made, {"PATH": f"{programs}:/usr/bin:/bin"}, programs).returncode == -15
    assert {path.name for path in tmp_path.iterdir()} == {"programs", "shared"}


@pytest.mark.parametrize(
    ("handed", "prologue", "message"),
    [
        ("export PATH=/nonexistent scratch=@precious", [], "mktemp is not on the PATH of this node"),
        (
            "export TMPDIR=/dev/null own=@precious gpucluster_x=1",
            [],
            "cannot create a folder in /dev/null on this node",
        ),
        ("", ["trap 'echo bye' EXIT", "set -eu"], "error: the worker"),
        ("", ["echo error: no licence >&2", "exit 3"], "error: no licence"),
        ("", ["exit 3"], "it printed nothing and exited with status 3"),
    ],
)
def test_failing_job_without_shared_storage_reports_why_and_removes_only_its_folder(
    tmp_path, handed, prologue, message
):
    apart = JobFolder(tmp_path, "0123abcd", shared=False)
    made = job_files.batch_script(spec(job_script_prologue=prologue), apart, "0123abcd")
    made = head_of(made, "echo error: the worker >&2; exit 4").replace("/tmp/", f"{tmp_path}/")
    precious = tmp_path / "precious"
    precious.mkdir()
    programs = tmp_path / "programs"
    programs.mkdir()
    environment = handed.replace("@precious", str(precious))
    (programs / "mkdir").write_text(
        '#!/bin/sh\n/bin/mkdir "$@" || exit 1\nshift 2\n[ -d "$1/given" ] || /bin/mkdir "$1/given"\n'
        f'echo "{environment}" >"$1/given/environment"\n'
    )
    (programs / "scontrol").write_text(f'#!/bin/sh\nprintf %s "$3" >{tmp_path}/comment\n')
    for program in programs.iterdir():
        program.chmod(0o700)
    env = {"PATH": f"{programs}:/usr/bin:/bin", "TMPDIR": str(tmp_path), "SLURM_JOB_ID": "7"}
    assert bash(made, env).returncode != 0
    assert message in (tmp_path / "comment").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {"precious", "programs", "comment"}


async def test_command_that_times_out_leaves_no_process(tmp_path, wait_until):
    wrapper = tmp_path / "squeue"
    wrapper.write_text(f"#!/bin/sh\n/bin/sleep 300 & echo $! > {tmp_path}/pid\nexit 0\n")
    wrapper.chmod(0o700)
    with pytest.raises(commands.SlurmSilent, match="took more than 1 seconds"):
        await commands.ask(str(wrapper), patience=1)
    pid = int((tmp_path / "pid").read_text())
    wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
