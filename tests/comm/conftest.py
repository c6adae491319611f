"""A comm folder."""

import shutil
import tempfile
from pathlib import Path

import pytest
from gpucluster.comm.folder import make_comm_folder


@pytest.fixture
def folder():
    # Not tmp_path: the path of a unix socket must be short.
    top = Path(tempfile.mkdtemp(prefix="gpc", dir="/tmp"))
    make_comm_folder(top / "comm")
    yield top / "comm"
    shutil.rmtree(top)
