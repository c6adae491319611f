"""How tests install what they need from the distribution."""

import os
import shutil

import pytest

from tests.backends import packages
from tests.backends.packages import NotInstalled, installed


@pytest.fixture
def apt(monkeypatch):
    """Commands that would have been run, each answered by "no such package"."""
    ran = []
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(packages, "_run", lambda command: ran.append(command[-2:]) or "E: no such package")
    return ran


def test_installed_packages_are_left_alone(apt):
    installed(["x"], lambda: True)
    assert apt == []


def test_package_installed_by_another_process_is_not_installed_again(apt):
    installed(["x"], lambda: len(apt) > 0)
    assert len(apt) == 1


def test_missing_package_raises_with_advice(apt, monkeypatch):
    with pytest.raises(NotInstalled, match=r"^'apt-get install x y', which did not work here: E: no such package$"):
        installed(["x", "y"], lambda: False)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(NotInstalled, match="the packages x of Debian, by other names perhaps"):
        installed(["x"], lambda: False)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(NotInstalled, match=r"let root run 'apt-get install x' \(and these tests\)"):
        installed(["x"], lambda: False)
