"""The presets every installation has. A site adds its own by configuration."""

from __future__ import annotations

from .models import Preset

PRESETS: tuple[Preset, ...] = (
    Preset(
        name="auto",
        title="Automatic",
        description="One worker per GPU where a usable GPU is, else CPU workers.",
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
