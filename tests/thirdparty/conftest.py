"""The package of a kind of cluster, built and installed as a user would install it."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.thirdparty.installing import install


@pytest.fixture(scope="session")
def subprocess_kind(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """Environment variables of processes that know the kind ``subprocess``."""
    folder: Path = install(tmp_path_factory.mktemp("thirdparty"))
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}
