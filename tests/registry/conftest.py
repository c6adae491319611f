import shutil
import tempfile
from pathlib import Path

import pytest
from gpucluster.registry.store import Registry


@pytest.fixture
def registry():
    directory = Path(tempfile.mkdtemp(prefix="gpc", dir="/tmp"))
    yield Registry(directory)
    shutil.rmtree(directory)
