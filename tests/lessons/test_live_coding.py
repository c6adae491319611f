"""What an instructor types from docs/teaching/live-coding.md runs, from top to bottom, and gives what the page says."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "teaching" / "live-coding.md"
pytestmark = [pytest.mark.processes, pytest.mark.full]


def cells() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_scripts_run_as_written(registry: Path) -> None:
    notebook: dict[str, Any] = {"__name__": "live"}
    said = []
    for cell in cells():
        with redirect_stdout(io.StringIO()) as out:
            exec(compile(cell, str(PAGE), "exec"), notebook)
        said.append(out.getvalue())
    text = "".join(said)
    for figure in (
        "140\n", "336776 flights before, 335220 after", "336776 flights after, 1573 without a temperature",
        "531720 (192,) (192, 192)", "7188 bytes came",
    ):  # fmt: skip
        assert figure in text, text
    inertias = [float(one.replace(",", "")) for one in re.findall(r"inertia ([\d,]+)", text)]
    assert len(inertias) == 8
    assert inertias == sorted(inertias, reverse=True)
