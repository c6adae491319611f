"""Collecting all tests makes a million objects that stay: nobody looks for garbage among them, then or later."""

from __future__ import annotations

import gc

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Look for no garbage: a fifth of what collecting takes, in each process."""
    gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Look again from here on, at what comes."""
    gc.freeze()
    gc.enable()
