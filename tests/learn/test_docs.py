"""The examples of each page of the documentation run in order on two CPU workers."""

import re
from pathlib import Path
from typing import Any

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "learn"
NAMES = sorted(path.name for path in PAGES.glob("*.md"))
EXAMPLE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=() if page == "README.md" else pytest.mark.full) for page in NAMES]
)
def test_examples(page: str, dask_client: Any) -> None:
    text = (PAGES / page).read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": f"docs_{page.removesuffix('.md')}"}
    for example in EXAMPLE.findall(text):
        exec(compile(example, page, "exec"), names)
