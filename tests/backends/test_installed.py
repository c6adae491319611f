"""Which directories modules are imported from, beside what is installed."""

from __future__ import annotations

import sys

from gpucluster.backends import installed


def test_a_directory_is_forgotten_with_those_below_it(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path / "known")])
    monkeypatch.setattr(installed, "_shared", [])
    monkeypatch.setattr(installed, "_added", [])
    for name in ("gone", "gone/below", "gone-not", "known"):
        (tmp_path / name).mkdir()
        installed.add_directory(str(tmp_path / name))
    installed.forget_directory(str(tmp_path / "gone"))
    installed.forget_directory(str(tmp_path / "gone"))
    left = [str(tmp_path / name) for name in ("gone-not", "known")]
    assert installed.shared_directories() == left
    assert [place for place in sys.path if place.startswith(str(tmp_path))] == left[::-1]
    installed.forget_directory(str(tmp_path / "known"))
    assert str(tmp_path / "known") in sys.path, "it is there for another reason"
