"""The documentation avoids the phrases of `.ci/words.txt`, except on the pages listed as not clean yet."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from docs.website.pages import ROOT


@pytest.fixture
def words() -> ModuleType:
    spec = importlib.util.spec_from_file_location("words", ROOT / ".ci" / "words.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["words"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_are_clean_or_listed(words: ModuleType) -> None:
    assert words.check() == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Nobody else\nsees it.", [(1, "nobody")]),
        ("A process of\nits own.", [(1, "of its own")]),
        ("It is late. Who waits is served.", [(1, "Who")]),
        ("* Who waits is served.", [(1, "Who")]),
        ("Users\nwho wait. Who waits? `nobody`\n\n```\nanew\n```\n", []),
        ("[a](whoever.md) waits", []),
        ("Nobody <!-- words: ok -->\nwaits anew.", [(2, "anew")]),
    ],
)
def test_phrases_are_found_outside_code(words: ModuleType, text: str, found: list[tuple[int, str]]) -> None:
    assert [(number, phrase.text) for number, phrase in words.findings(text, words.phrases())] == found


def test_list_of_pending_pages_only_shrinks(words: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("Clean.\n")
    (tmp_path / "docs" / "a.md").write_text("Nobody waits.\n")
    (tmp_path / "docs" / "b.md").write_text("Somebody waits.\n")
    listed = tmp_path / "pending.txt"
    listed.write_text("# Pages\nREADME.md\ndocs/b.md\ndocs/gone.md\n")
    monkeypatch.setattr(words, "ROOT", tmp_path)
    monkeypatch.setattr(words, "PENDING", listed)
    gone, clean, unlisted = words.check()
    assert "no page docs/gone.md" in gone
    assert "README.md is clean now" in clean
    assert unlisted.startswith("docs/a.md:1: 'nobody'")
    words.tidy()
    assert listed.read_text() == "# Pages\ndocs/b.md\n"
