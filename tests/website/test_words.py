"""Documentation, lessons and source avoid the phrases of `.ci/words.txt`."""

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


def test_pages_are_clean(words: ModuleType) -> None:
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


def test_strings_and_comments_of_python_are_checked(words: ModuleType, tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(words, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text('"""For whoever reads."""\nnobody = 1  # It waits anew.\nsay(f"seldom {nobody}")\n')
    found = words.faults("a.py", words.phrases())
    assert [fault.split(": ")[:2] for fault in found] == [
        ["a.py:1", "'whoever'"],
        ["a.py:2", "'anew'"],
        ["a.py:3", "'seldom'"],
    ]
