"""The page about the server's settings is that of this version."""

from __future__ import annotations

from pathlib import Path

from gpucluster.server.documentation import page
from gpucluster.server.extension import GPUClusterExtension

PAGE = Path(__file__).parents[2] / "docs" / "server-settings.md"


def test_the_page_is_fresh_and_tells_every_setting() -> None:
    text = page()
    assert PAGE.read_text(encoding="utf-8") == text, (
        "run: python -m gpucluster.server.documentation > docs/server-settings.md"
    )
    rows = [line.split("|") for line in text.splitlines() if line.startswith("| `")]
    assert {name.strip(" `") for _, name, *_ in rows} == set(GPUClusterExtension.class_own_traits(config=True))
    assert all(told.strip() for _, _, _, told, _ in rows)
