"""What is found before a GPU cluster is started, on fake machines; and what dask-cuda is then given."""

import inspect
import os

import pytest
from gpucluster.backends.cuda.spec import CudaSpec
from gpucluster.protocol.spec import MachineSpec
from nvml.machine import gpu, gpu_uuid, mig_slice, slice_uuid

pytest.importorskip("dask_cuda", reason="runs in the second environment, which has dask-cuda")
GIB = 2**30


@pytest.fixture
def two_gpus(machine):
    machine.write([gpu(1, total=40960), gpu(2, total=81920)])
    return machine


def test_defaults(two_gpus, play):
    plan = play("preflight")
    assert (plan["n_workers"], plan["maximum_workers"], plan["network"]) == (2, 2, "unix")
    assert plan["maximum_reason"] == "this cluster has 2 GPUs, one worker each"
    options = plan["options"]
    assert options["CUDA_VISIBLE_DEVICES"] == [gpu_uuid(1), gpu_uuid(2)]
    assert options["device_memory_limit"] == 32 * GIB
    assert "protocol" not in options, "sockets in a folder are up to SpecDeployment"


def test_every_option_of_the_spec_reaches_dask_cuda(two_gpus, play, tmp_path):
    from dask_cuda import LocalCUDACluster

    logs = tmp_path / "logs"
    logs.mkdir(mode=0o700)
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in ("rmm", "cupy"):
        (packages / f"{name}.py").write_text("")
    plan = play(
        "preflight", devices=[1], threads_per_worker=3, memory_limit="2 GiB", device_memory_limit="50%",
        rmm_pool_size="25%", rmm_maximum_pool_size="50%", rmm_allocator_external_lib_list=["cupy"],
        rmm_log_directory=str(logs), pre_import=["json"], protocol="tls", packages=packages,
    )  # fmt: skip
    expected = {
        "CUDA_VISIBLE_DEVICES": [gpu_uuid(2)], "n_workers": 1, "threads_per_worker": 3, "memory_limit": 2 * GIB,
        "device_memory_limit": 40 * GIB, "enable_cudf_spill": False, "cudf_spill_stats": 0, "protocol": "tls",
        **dict.fromkeys(("enable_tcp_over_ucx", "enable_infiniband", "enable_nvlink", "enable_rdmacm")),
        "rmm_pool_size": 20 * GIB, "rmm_maximum_pool_size": 40 * GIB, "rmm_managed_memory": False, "rmm_async": False,
        "rmm_release_threshold": None, "rmm_allocator_external_lib_list": ["cupy"], "rmm_log_directory": str(logs),
        "rmm_track_allocations": True, "pre_import": ["json"],
    }  # fmt: skip
    assert plan["options"] == expected
    # The scratch directory comes from the context, where it is private; log_spilling does nothing in dask-cuda.
    # The last two exist until 26.04.
    parameters = set(inspect.signature(LocalCUDACluster.__init__).parameters) - {"self", "kwargs"}
    parameters -= {"jit_unspill", "shared_filesystem"}
    assert parameters - set(expected) == {"local_directory", "log_spilling"}
    # The supervisor sees to the scratch itself.
    elsewhere = {"backend", "devices", "interface", "wait_in_line", "scratch_limit"}
    ours = set(CudaSpec.model_fields) - set(MachineSpec.model_fields) - elsewhere
    assert ours <= set(expected)


def test_no_limits(two_gpus, play):
    options = play("preflight", memory_limit=None, device_memory_limit=None)["options"]
    assert (options["memory_limit"], options["device_memory_limit"]) == (None, None)


def test_an_interface(two_gpus, play):
    assert play("preflight", protocol="tcp", interface="lo")["options"]["interface"] == "lo"


def test_ucx_is_labelled_unencrypted(two_gpus, play, tmp_path):
    (tmp_path / "distributed_ucxx.py").write_text("")
    plan = play("preflight", protocol="ucx", interface="lo", enable_nvlink=True, packages=tmp_path)
    assert plan["network"] == "open"
    assert [plan["options"][name] for name in ("protocol", "interface", "enable_nvlink")] == ["ucx", "lo", True]


@pytest.mark.parametrize(
    ("spec", "code", "field", "words"),
    [
        ({"n_workers": 3}, "preflight_failed", "n_workers", "only 2 GPUs can be used here"),
        ({"devices": [5]}, "no_usable_device", "devices", "There is no GPU 5 on this machine; it has 0, 1."),
        ({"devices": [slice_uuid(1)]}, "no_usable_device", "devices", "There is no GPU or MIG slice"),
        ({"rmm_pool_size": "1 GiB"}, "missing_package", "rmm_pool_size", "'rmm'"),
        ({"pre_import": ["no_such"]}, "missing_package", "pre_import", "'no_such'"),
        ({"device_memory_limit": "50 GiB"}, "preflight_failed", "device_memory_limit", "has 40 GiB in total"),
        (
            {"protocol": "tcp", "interface": "ib9"}, "preflight_failed", "interface",
            "This machine has no network interface 'ib9'; it has",
        ),
        ({"rmm_log_directory": "/tmp"}, "preflight_failed", "rmm_log_directory", "needs rmm_pool_size"),
    ],
)  # fmt: skip
def test_refusals(two_gpus, play, spec, code, field, words):
    answer = play("preflight", **spec)
    assert (answer["refused"], answer["fields"]) == (code, [field])
    assert words in answer["message"] and answer["message"].endswith(".")


def test_log_directories(two_gpus, play, tmp_path):
    (tmp_path / "rmm.py").write_text("")
    shared = tmp_path / "shared"
    shared.mkdir()
    os.chmod(shared, 0o777)
    for directory, words in ((shared, "Other users can write to"), (tmp_path / "missing", "does not exist")):
        answer = play("preflight", rmm_async=True, rmm_log_directory=str(directory), packages=tmp_path)
        assert words in answer["message"]


@pytest.mark.parametrize(
    ("lines", "environment", "words"),
    [
        (["fail nvmlInitWithFlags 9"], {}, "not loaded"),
        ([gpu(1)], {"CUDA_VISIBLE_DEVICES": "-1"}, "hides all GPUs"),
        ([gpu(1)], {"FAKE_CUDA_INIT": "803"}, "different versions"),
        ([gpu(1, mig=1)], {}, "no slices"),
    ],
)
def test_machines_without_a_usable_gpu(machine, play, lines, environment, words):
    machine.write(lines)
    answer = play("preflight", environment=environment)
    assert answer["refused"] == "no_usable_device" and words in answer["message"]


def test_hidden_and_divided_gpus(machine, play):
    machine.write([gpu(1), mig_slice(1), gpu(2)])
    assert slice_uuid(1) in play("preflight", devices=[0])["message"]
    one = {"CUDA_VISIBLE_DEVICES": "1"}
    assert "hidden by CUDA_VISIBLE_DEVICES" in play("preflight", devices=[slice_uuid(1)], environment=one)["message"]
    assert play("preflight", environment=one)["options"]["CUDA_VISIBLE_DEVICES"] == [gpu_uuid(2)]
