"""The presets of the package. A site adds its own in its file, or by the server's configuration."""

from __future__ import annotations

from ..protocol.models import Preset

PRESETS: tuple[Preset, ...] = (
    Preset(
        name="auto",
        title="Default",
        description="One worker per GPU if there is a usable GPU, otherwise CPU workers.",
        spec={"backend": "auto"},
    ),
    Preset(
        name="cpu",
        title="CPU, two workers",
        description="Two CPU workers with one thread each: what the lessons need.",
        spec={"backend": "local", "n_workers": 2},
    ),
    Preset(
        name="gpu",
        title="GPU, one worker each",
        description="One worker per visible GPU; results spill to host memory at 80% of the GPU.",
        needs_gpu=True,
        spec={"backend": "cuda"},
    ),
    Preset(
        name="gpu-ml",
        title="GPU, machine learning",
        description="An RMM pool of 80% of each GPU: fast, repeated allocations.",
        needs_gpu=True,
        spec={"backend": "cuda", "rmm_pool_size": 0.8, "rmm_allocator_external_lib_list": ["cupy"]},
    ),
    Preset(
        name="gpu-etl",
        title="GPU, data frames",
        description="cuDF moves its own data to host memory when the GPU is full: joins and sorts larger than the GPU.",
        needs_gpu=True,
        spec={"backend": "cuda", "enable_cudf_spill": True, "cudf_spill_stats": 1, "rmm_async": True},
    ),
)
"""For every installation."""

SITE_PRESETS: tuple[Preset, ...] = (
    Preset(
        name="gpu-hour",
        title="One GPU for an hour",
        description="A job with one GPU and eight cores, for an hour at most.",
        spec={"backend": "slurm", "n_workers": 1, "gpus_per_node": 1, "cores": 8, "walltime": "01:00:00"},
    ),
    Preset(
        name="whole-node",
        title="A whole node",
        description="A job that has its node to itself.",
        spec={"backend": "slurm", "n_workers": 1, "exclusive": True},
    ),
    Preset(
        name="leonardo-booster",
        title="Leonardo Booster, 4 GPUs",
        description="A node of Leonardo's Booster as one job: four A100 of 64 GB, with a quarter of its cores and "
        "memory each. Name your account.",
        spec={
            "backend": "slurm", "partition": "boost_usr_prod", "n_workers": 4, "gpus_per_node": 4, "cores": 32,
            "memory_limit": "120 GiB", "walltime": "01:00:00",
        },
    ),
    Preset(
        name="perlmutter-gpu",
        title="Perlmutter, 4 GPUs",
        description="A GPU node of Perlmutter as one job: four A100, with a quarter of its cores and memory each. Name "
        "your account.",
        spec={
            "backend": "slurm", "constraint": "gpu", "qos": "regular", "n_workers": 4, "gpus_per_node": 4, "cores": 128,
            "memory_limit": "56 GiB", "walltime": "01:00:00",
        },
    ),
)  # fmt: skip
"""For sites: those that the site's file names are among its presets, and all can be requested by name."""
