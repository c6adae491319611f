"""What a cluster inherits from the process that asks for it."""

from __future__ import annotations

import json
import subprocess
import sys

AFTER_A_NANNY = """
import json, os
from distributed import LocalCluster
from gpucluster.client.environment import cluster_environment, fingerprint

if __name__ == "__main__":
    os.environ["OMP_WAIT_POLICY"] = "passive"
    before = cluster_environment()
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None):
        set_by_dask = set(os.environ) - set(before)
        same = fingerprint("python", before) == fingerprint("python", cluster_environment())
    os.environ["MKL_NUM_THREADS"] = "7"
    print(json.dumps([sorted(set_by_dask), same, cluster_environment() == {**before, "MKL_NUM_THREADS": "7"}]))
"""


def test_what_a_nanny_of_dask_leaves_in_this_process_is_not_passed_on(tmp_path, monkeypatch):
    """With it no standby fits that was started before."""
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED"):
        monkeypatch.delenv(name, raising=False)
    script = tmp_path / "script.py"
    script.write_text(AFTER_A_NANNY)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=120)
    set_by_dask, is_same, is_all = json.loads(done.stdout.splitlines()[-1])
    assert {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "PYTHONHASHSEED"} <= set(set_by_dask)
    assert is_same
    assert is_all, "what the person sets is passed on"
