"""The environment that a cluster inherits from the requesting process."""

import json
import os
import subprocess
import sys

import pytest
from gpucluster.client.starting import environment

pytestmark = pytest.mark.full

AFTER_A_NANNY = """
import json, os
from distributed import LocalCluster
from gpucluster.client.starting.environment import cluster_environment, fingerprint

if __name__ == "__main__":
    os.environ["OMP_WAIT_POLICY"] = "passive"
    before = cluster_environment()
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None):
        set_by_dask = set(os.environ) - set(before)
        same = fingerprint("python", before) == fingerprint("python", cluster_environment())
    os.environ["MKL_NUM_THREADS"] = "7"
    print(json.dumps([sorted(set_by_dask), same, cluster_environment() == {**before, "MKL_NUM_THREADS": "7"}]))
"""


AS_A_SCRIPT = """
import json, os, sys, warnings
import dask, distributed
from gpucluster.client.starting.environment import cluster_environment, fingerprint

def told():
    found = cluster_environment()
    inherited = found.get("DASK_INTERNAL_INHERIT_CONFIG")
    return None if inherited is None else dask.config.deserialize(inherited), found.get("GPUCLUSTER_IMPORT_FROM")

sys.path.append("src")
before, first = cluster_environment(), told()
with dask.config.set({"temporary-directory": "/somewhere", "scheduler": "threads", "array.backend": "cupy",
                      "distributed.comm.tls.ca-file": "ca.pem", "of.mine": lambda: 1}):
    nothing = told()[0], fingerprint("python", before) == fingerprint("python", cluster_environment())
dask.config.set({"gateway.auth.kwargs": {"username": "me"}, "of-mine.api_token": "abc", "of-mine": {1: 2, "large": 7}})
dask.config.set({"distributed.nanny.environ": {"AWS_SECRET_ACCESS_KEY": "abc"}})
dask.config.set({"of-others": {"list": [{"Api_Key": "abc"}], "store": ["s3://me:abc@host/x"], "passwd": "abc"}})
dask.config.set({"distributed.worker.memory.spill": False, "distributed.scheduler.worker_saturation": 1.5})
dask.config.set({"of_mine.deep": [1, "two"], "distributed.logging.distributed.client": "info"})
other = cluster_environment(python="another").get("GPUCLUSTER_IMPORT_FROM")
result = [first, nothing, told(), other]
dask.config.config["itself"] = dask.config.config
result.append(told()[0])
del dask.config.config["itself"]
with warnings.catch_warnings(record=True) as said, dask.config.set({"of-mine.large": "x" * 200_000}):
    warnings.simplefilter("always")
    result += [told()[0], len(said)]
print(json.dumps(result))
"""


def test_dask_config_and_import_path_are_passed_on(tmp_path):
    """As to the workers of a ``LocalCluster``; without differences nothing is sent, and a standby fits."""
    (project := tmp_path / "project").mkdir()
    (tmp_path / "src").mkdir()
    (project / "main.py").write_text(AS_A_SCRIPT)
    variables = {**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "5"}
    done = subprocess.run(
        [sys.executable, "project/main.py"],
        cwd=tmp_path, env=variables, capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    first, nothing, (settings, directories), other, *too_much = json.loads(done.stdout.splitlines()[-1])
    assert first[0] is None
    assert nothing == [None, True]
    assert settings == {
        "distributed": {
            "worker": {"memory": {"spill": False}},
            "scheduler": {"worker-saturation": 1.5},
            "logging": {"distributed": {"client": "info"}},
        },
        "of-mine": {"deep": [1, "two"], "large": 7},
    }
    assert too_much == [None, None, 1]
    assert directories == first[1]
    assert {str(project), str(tmp_path / "src")} <= set(directories.split(os.pathsep))
    assert not any(place.startswith(sys.prefix) for place in directories.split(os.pathsep))
    assert other is None
    code = "from gpucluster.client.starting import environment; print(*environment._import_directories().values())"
    variables = {**os.environ, "PYTHONPATH": str(project)}
    asked = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "src", env=variables, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    first_of_all, *others = asked.stdout.strip().split(os.pathsep)
    assert first_of_all == str(tmp_path / "src"), "the working directory comes first, as in a notebook"
    assert str(project) not in others, "PYTHONPATH is passed on separately"


def test_nanny_variables_are_not_passed_on(tmp_path, monkeypatch):
    """Otherwise no earlier standby fits."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED"):
        monkeypatch.delenv(name, raising=False)
    script = tmp_path / "script.py"
    script.write_text(AFTER_A_NANNY)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=120)
    set_by_dask, is_same, is_all = json.loads(done.stdout.splitlines()[-1])
    assert {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED"} <= set(set_by_dask)
    assert is_same
    assert is_all, "the user's variables are passed on"


def test_dask_may_be_set_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Importing a module of Dask in another thread adds its defaults, without the lock."""
    now: dict[str, object] = {"a": 1, "b": 2}
    as_json = environment._as_json

    def importing(value: object) -> str | None:
        now["late"] = 3
        return as_json(value)

    monkeypatch.setattr(environment, "_as_json", importing)
    assert dict(environment._changes(now, {"b": 2})) == {"a": 1}
