"""The limit of open files is reported before it is reached, and by name when it is."""

import resource

import gpucluster
import pytest
from gpucluster.protocol.errors import ScaleFailed

UNDER_A_LIMIT = """
import gpucluster
from gpucluster.protocol.errors import GPUClusterError

def refused(do):
    try:
        do()
    except GPUClusterError as error:
        print(type(error).__name__, error.message, [field.field for field in error.fields])

refused(lambda: gpucluster.create("local", n_workers=9))
cluster = gpucluster.create("local", n_workers=1, memory_limit="512 MiB")
refused(lambda: cluster.scale(9))
cluster.scale(2)
print(cluster.n_workers)
cluster.stop()
"""


@pytest.mark.full
def test_file_limit_is_reported_before_start(site):
    limits = (64, 64)
    maker = site.python(UNDER_A_LIMIT, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits))
    out, err = maker.communicate(timeout=120)
    refused, bounded, workers = out.splitlines()
    assert refused == (
        "StartFailed 9 workers need about 138 open files, but the limit is 64 per process. Request at most 2, or raise "
        "the limit (ulimit -n) before you start Jupyter or the cluster. []"
    ), err
    assert bounded == (
        "InvalidRequest n_workers: must be at most 2, not 9: the limit of 64 open files per process is enough "
        "for about 2; raise it (ulimit -n) before you start Jupyter or the cluster. ['n_workers']"
    )
    assert workers == "2"


def take_all_files(keep):
    import os

    import distributed

    taken = distributed.taken_files = []
    try:
        while True:
            taken.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        for _ in range(keep):
            os.close(taken.pop())


def give_all_files_back():
    import os

    import distributed

    for file in distributed.taken_files:
        os.close(file)


def test_reached_file_limit_is_reported(site):
    site.running(name="crowded")
    cluster = gpucluster.connect("crowded")
    with cluster.get_client() as client:
        client.run_on_scheduler(take_all_files, keep=6)
        with pytest.raises(ScaleFailed, match=r"could not start: all \d+ open files that one process"):
            cluster.scale(2)
        client.run_on_scheduler(give_all_files_back)
        cluster.scale(2)
        assert (cluster.n_workers, cluster.model.notice) == (2, None)
