"""In which order several processes take the files."""

from __future__ import annotations

from .order import in_order


def test_long_files_come_first_and_those_that_share_something_together() -> None:
    seconds = {
        "tests/lessons/test_long.py": 600.0, "tests/browser/test_panel.py": 40.0, "tests/server/test_host.py": 50.0,
        "tests/browser/test_widgets.py": 90.0, "tests/browser/test_gpus.py": 15.0, "tests/protocol/test_spec.py": 1.0,
    }  # fmt: skip
    assert in_order([*seconds, "tests/new/test_new.py"], seconds) == [
        "tests/lessons/test_long.py",
        "tests/browser/test_widgets.py",
        "tests/browser/test_panel.py",
        "tests/browser/test_gpus.py",
        "tests/server/test_host.py",
        "tests/new/test_new.py",
        "tests/protocol/test_spec.py",
    ]
