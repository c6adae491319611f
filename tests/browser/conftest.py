"""One JupyterLab and one browser for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .lab import Lab, jupyter


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A JupyterLab without clusters."""
    with jupyter() as running:
        yield running
