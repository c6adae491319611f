"""Tests of what only Linux has: left out elsewhere, and where Linux is taken away (``make portable-tests``)."""

from __future__ import annotations

import pytest
from gpucluster.operating_system import LINUX


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Leave out what is marked ``linux``."""
    if not LINUX and (mark := item.get_closest_marker("linux")) is not None:
        pytest.skip(f"only Linux has it: {mark.args[0]}")
