"""What each kind refuses of a request before a process starts: options, files, hosts and addresses."""

import os
from typing import Any

import pytest
from gpucluster.backends.existing.spec import ExistingSpec, find_address, find_credentials
from gpucluster.backends.kubernetes.api import kubeconfig_fault
from gpucluster.backends.ssh.hosts import named_hosts
from gpucluster.backends.ssh.spec import SSHSpec
from gpucluster.protocol.errors import InvalidRequest, PreflightFailed
from gpucluster.protocol.kinds import find_kind, parse_spec

REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "slurm": [
        ({"walltime": "soon"}, "walltime: 'soon' is not a time limit"),
        ({"walltime": "1:2:3:4"}, "walltime: '1:2:3:4' is not a time limit"),
        ({"walltime": "0"}, "walltime: must be a minute or more"),
        ({"partition": "main; rm -rf ~"}, "partition: may contain only letters"),
        ({"partition": "--wrap=true"}, "partition: may contain only letters"),
        ({"account": "a\n#SBATCH -p b"}, "account: may contain only letters"),
        ({"job_name": "$(id)"}, "job_name: may contain only letters"),
        ({"job_name": "x" * 300}, "job_name: may have at most 100 characters, not 300"),
        ({"partition": "a," + "x" * 101}, "partition: may have at most 100 characters, not 101"),
        ({"directives": ["--"]}, "directives: '--' is not an option of sbatch"),
        ({"constraint": "a b"}, "constraint: must be features"),
        ({"constraint": "`id`"}, "constraint: must be features"),
        ({"directives": ["--exclusive\nid"]}, "directives: .* is not one line of text"),
        ({"directives": ["rm -rf ~"]}, "directives: .* is not an option of sbatch"),
        ({"directives": ["--array=0-9"]}, "directives: --array is set by gpucluster"),
        ({"directives": ["--job-n=x"]}, "directives: --job-n is set by gpucluster, or abbreviates"),
        (
            {"directives": ["--clust=other"]},
            "directives: --clust would send jobs where gpucluster cannot monitor them: set",
        ),
        ({"directives": ["-M other"]}, "directives: -M would send jobs where gpucluster cannot"),
        ({"env": {"SLURM_JOB_NAME": "x"}}, "env: SLURM_JOB_NAME is set by Slurm in each job"),
        ({"directives": ["-p x"]}, "directives: -p has its own field: partition"),
        ({"job_script_prologue": ["a\x1bb"]}, "job_script_prologue: .* is not one line"),
        ({"modules": ["cuda; id"]}, "modules: .* is not the name of a module"),
        ({"image": "relative.sif"}, "image: must be an absolute path"),
        ({"python": "/bin/python $(id)"}, "python: must be an absolute path"),
        ({"shared_directory": "/a b"}, "shared_directory: must be an absolute path"),
        ({"gpu_type": "a100"}, "gpu_type needs GPUs: set gpus_per_node"),
        ({"gpus_per_node": 17}, "gpus_per_node"),
        ({"gpus_per_node": 4, "workers_per_job": 2}, "workers_per_job is for CPU workers: with GPUs a job has one"),
        ({"gpus_per_node": 4, "n_workers": 6, "exclusive": True}, "each job has 4 workers, .*: use 4 or 8, not 6"),
        ({"workers_per_job": 3, "n_workers": 2, "directives": ["--exclusive"]}, "3 workers, .*: use 3, not 2"),
        ({"nodes_per_job": 2, "gpus_per_node": 4, "n_workers": 12}, "8 workers, .*: use 8 or 16, not 12"),
        ({"nodes_per_job": 2, "workers_per_job": 3}, "3, and nodes_per_job 2: each node runs the same"),
        ({"exclusive": True, "directives": ["--exclusive"]}, "--exclusive has its own field: exclusive"),
        ({"scheduler_walltime": "1:00:00"}, "scheduler_walltime is for a scheduler in a separate job: set scheduler="),
        ({"scheduler": "job", "scheduler_walltime": "soon"}, "scheduler_walltime: 'soon' is not a time limit"),
        ({"workers_per_job": 4, "cores": 3}, "cores is 3, but the job's workers have 4 threads"),
        ({"memory_limit": "20%"}, "memory_limit: must be a size"),
        ({"memory_limit": "1 GiB", "memory_per_gpu": "1 GiB", "gpus_per_node": 1}, "cannot be combined"),
        ({"cores": 1, "threads_per_worker": 2}, "cores is 1, but the worker has 2 threads"),
        ({"rmm_pool_size": "1 GiB"}, "rmm_pool_size is for workers with a GPU"),
    ],
    "kubernetes": [
        ({"namespace": "Not A Name"}, "namespace: must be lowercase letters"),
        ({"image": "no image!"}, "image: must be the name of an image"),
        ({"gpus_per_worker": 1}, "image: workers with a GPU need an image that has dask-cuda"),
        ({"gpus_per_worker": 2, "image": "x"}, "gpus_per_worker: "),
        ({"tolerations": "key=value:Never"}, "the effects are NoSchedule, PreferNoSchedule, NoExecute"),
        ({"node_selector": "disk"}, "node_selector: must be written like 'disk=ssd,zone=a'"),
        ({"node_selector": {"a b": "c"}}, "'a b' is not a valid label name"),
        ({"gpu_resource": "gpu"}, "gpu_resource: must be the name of a resource"),
        ({"kubeconfig": "config"}, "kubeconfig: must be an absolute path"),
        ({"kubeconfig": "/a:/b"}, "kubeconfig: must be the absolute path of one file"),
        ({"context": "a b"}, "context: must be the name of a context"),
        ({"env": {"a+b": "c"}}, r"'a\+b' is not a valid environment variable name for a pod"),
        ({"rmm_pool_size": "1 GiB"}, "rmm_pool_size is for workers with a GPU"),
        ({"cores": 1, "threads_per_worker": 2}, "the worker has 2 threads; request more cores"),
        ({"interface": "ib0"}, "interface is for workers that connect to this machine"),
        ({"scheduler_memory": "10%"}, "scheduler_memory: must be a size"),
        ({"memory_limit": "10%"}, "memory_limit: must be a size"),
    ],
    "gateway": [
        ({"address": "tcp://x:1"}, "address: 'tcp://x:1' is not the address of a Dask Gateway"),
        ({"address": "http://me:secret@x"}, "address: must not contain a user name or a password"),
        ({"address": "http://x/?a=b"}, "address: must end with its path"),
        ({"address": "http://x:99999"}, "is not the address of a Dask Gateway"),
        ({"proxy_address": "x"}, "proxy_address: must be a port, or a host with its port"),
        ({"proxy_address": 0}, "proxy_address: must be a port"),
        ({"gateway_options": "cores"}, "gateway_options: must be written like 'worker_cores=2,profile=big'"),
        ({"gateway_options": "{1"}, "gateway_options: looks like a JSON object, but is not valid"),
        ({"gateway_options": {"a b": 1}}, "gateway_options: 'a b' is not a valid option name"),
        ({"gateway_options": {"a": object()}}, "gateway_options: may contain only text, numbers, true, false"),
        ({"cluster_name": "../x"}, "cluster_name: must be the name that the server gave"),
        ({"cluster_name": "x", "gateway_options": "a=1"}, "gateway_options are for a new cluster"),
        ({"password_from": "my password"}, "password_from: must be the name of an environment variable"),
        ({"password_from": "/x", "auth": "kerberos"}, "for Kerberos, run kinit"),
        ({"username": "x", "auth": "jupyterhub"}, "username is for auth 'basic'"),
        ({"username": "x:y"}, "username: must be the name that you log in with"),
        ({"auth": "token"}, "auth: must be one of 'basic', 'jupyterhub' or 'kerberos'"),
        ({"threads_per_worker": 2}, "threads_per_worker is set by the site"),
    ],
    "mpi": [
        ({"n_workers": 0}, "n_workers: must be at least 1, not 0"),
        ({"launcher": "mpi exec"}, "must be the name of a program"),
        ({"launcher": "../mpiexec"}, "must be the name of a program"),
        ({"launcher_options": ["-n", "7"]}, "is set by n_workers"),
        ({"launcher_options": "echo hi"}, "must begin with an option, such as '--hostfile', not with 'echo'"),
        ({"launcher_options": ["--ntasks=7"]}, "is set by n_workers"),
        ({"launcher_options": "--hosts 'a"}, "close each quotation mark"),
        ({"launcher_options": ["a\nb"]}, "is not a valid command-line argument"),
        ({"launcher_options": ["-x"] * 101}, "at most 100 arguments"),
        ({"lifetime_seconds": 60}, "lifetime_seconds requires nanny"),
        ({"rmm_pool_size": "1 GiB"}, "rmm_pool_size is for workers with a GPU: set gpus_per_rank to 1"),
        ({"rank_python": "python"}, "must be an absolute path"),
        ({"protocol": "mpi", "nanny": True}, "protocol 'mpi' cannot be combined with nanny: such workers"),
        ({"protocol": "mpi", "gpus_per_rank": 1}, "protocol 'mpi' cannot be combined with gpus_per_rank: "),
    ],
    "ssh": [
        ({}, "set hosts"),
        ({"hosts": "a", "hostfile": "/x"}, "not both"),
        ({"hosts": "-oProxyCommand=x"}, "is not a host name"),
        ({"hosts": "a;b"}, "is not a host name"),
        ({"hosts": "a:0"}, "is not a host name"),
        ({"hosts": ["a"], "remote_python": "python"}, "must be an absolute path"),
        ({"hosts": ["a"], "memory_limit": "20%"}, "must be a size"),
        ({"hosts": ["a"], "interface": "x y"}, "must be the name of a network interface"),
        ({"hosts": "a", "use_gpus": False, "rmm_async": True}, "rmm_async is for workers with a GPU: leave use_gpus"),
    ],
    "existing": [
        ({"address": "http://x:1"}, "is not the address of a scheduler"),
        ({"address": "tcp://x:99999"}, "is not the address of a scheduler"),
        ({"address": "tcp://x:1", "n_workers": 2}, "n_workers is set by the owner of the scheduler"),
        ({"address": "tcp://x:1", "scheduler_file": "/x"}, "pass only one"),
        ({"address": "tls://x:1", "tls_key": "/x"}, "must be set together"),
        ({"scheduler_file": "x"}, "must be an absolute path"),
    ],
}


@pytest.mark.parametrize(
    ("kind", "options", "message"), [(kind, *case) for kind, cases in REFUSED.items() for case in cases]
)
def test_invalid_options_are_refused(kind, options, message):
    with pytest.raises(InvalidRequest, match=message):
        parse_spec({"backend": kind, **options})


KUBECONFIG = "contexts: [{name: mine, context: {}}]\nclusters: []\nusers: []\n"


def faults(**options: Any) -> list[tuple[str, str]]:
    found = find_kind(options["backend"])
    assert found is not None and found.kind is not None
    return [(fault.field, fault.message) for fault in found.kind.faults(parse_spec(options))]


@pytest.mark.parametrize(
    ("backend", "options", "message"),
    [
        ("existing", {"address": "tcp://nowhere.invalid:8786"}, "host 'nowhere.invalid' not found"),
        ("existing", {"address": "tcp://127.0.0.1:9"}, "nothing is listening on port 9 of 127.0.0.1"),
        ("existing", {"scheduler_file": "/tmp/no.json"}, "/tmp/no.json does not exist"),
        ("gateway", {"address": "http://127.0.0.1:9"}, "nothing is listening on port 9"),
        ("ssh", {"hostfile": "/tmp/no-hosts"}, "/tmp/no-hosts cannot be read"),
        ("ssh", {"hosts": "a", "ssh_config": "/tmp/no-config"}, "/tmp/no-config does not exist"),
        ("kubernetes", {"kubeconfig": "/tmp/no-config"}, "/tmp/no-config does not exist"),
    ],
)
def test_missing_files_and_hosts_are_reported_at_their_field(backend, options, message):
    [(at, text)] = faults(backend=backend, **options)
    assert at == [*options][-1]
    assert text.startswith(message)
    assert not text.endswith(".")


def test_hosts_are_looked_up_without_an_ssh_configuration(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert faults(backend="ssh", hosts="nowhere.invalid,127.0.0.1") == [("hosts", "host 'nowhere.invalid' not found")]
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "config").write_text("Host nowhere.invalid\n  HostName 127.0.0.1\n")
    assert faults(backend="ssh", hosts="nowhere.invalid,127.0.0.1") == []


def test_a_context_must_be_in_the_kubeconfig(tmp_path):
    path = tmp_path / "config"
    path.write_text(KUBECONFIG)
    assert faults(backend="kubernetes", kubeconfig=str(path), context="mine") == []
    [(field, message)] = faults(backend="kubernetes", kubeconfig=str(path), context="other")
    assert (field, message) == ("context", "the kubeconfig has no context 'other'; available: mine")


@pytest.mark.parametrize("backend", ["local", "cuda", "auto", "slurm", "mpi"])
def test_other_kinds_check_nothing(backend):
    assert faults(backend=backend) == []


@pytest.fixture(params=["/dev/zero", "pipe", "folder", "long"])
def file(request, tmp_path):
    """Return a path that is no text file of a few lines."""
    path = tmp_path / request.param
    if request.param == "pipe":
        os.mkfifo(path)
    elif request.param == "folder":
        path.mkdir()
    elif request.param == "long":
        path.write_bytes(b"a\n" * 2**22)
    return str(path)


def test_a_list_of_hosts(file):
    with pytest.raises(PreflightFailed, match=r"^hostfile: .* is (not a plain file|larger than 1 MiB)"):
        named_hosts(SSHSpec(hostfile=file))


def test_a_scheduler_file(file):
    with pytest.raises(PreflightFailed, match=r"^scheduler_file: .* is (not a plain file|larger than 1 MiB)"):
        find_address(ExistingSpec(scheduler_file=file))


def test_files_of_tls(file):
    spec = ExistingSpec(address="tls://127.0.0.1:1", tls_ca_file=file, tls_cert=file, tls_key=file)
    with pytest.raises(PreflightFailed, match=r"^The TLS file .* is (not a plain file|larger than 1 MiB)"):
        find_credentials(spec, "tls://127.0.0.1:1")


def test_a_kubeconfig(file):
    fault = kubeconfig_fault(file)
    assert fault is not None
    assert "is not a plain file" in fault or "is larger than 4 MiB" in fault
