"""Each guarantee of docs/security.md and SECURITY.md names an existing test."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from docs.website.pages import ROOT

TESTS = ROOT / "tests"
PAGES = ("docs/security.md", "SECURITY.md")
_NAMED = re.compile(r"`(?P<file>[\w/]+(?:\.py|\.spec\.tsx?))(?:::(?P<name>[^`]+))?`")
_ROW = re.compile(r"^\|(?!-)(?P<guarantee>[^|]+)\|(?P<tests>[^|]+)\|$", re.MULTILINE)
_TITLE = re.compile(r"\bit\(\s*(['\"`])(?P<title>.*?)(?<!\\)\1", re.DOTALL)


def guarantees() -> list[tuple[str, str]]:
    """Return each guarantee of the page with the cell that names its tests."""
    rows = [(row["guarantee"].strip(), row["tests"].strip()) for row in _ROW.finditer(_page("docs/security.md"))]
    return [row for row in rows if row[0] not in {"Guarantee", "Who"}]


def _page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


@cache
def _tests_of(file: Path) -> frozenset[str]:
    """Return the names of the tests in a file, those of classes as ``Class::name``."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".py":
        return frozenset(found["title"] for found in _TITLE.finditer(text))
    return frozenset(_functions(ast.parse(text).body))


def _functions(body: list[ast.stmt], within: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not within:
            yield from _functions(node.body, f"{node.name}::")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield within + node.name


def missing(text: str) -> list[str]:
    """Return the tests that a text names and that are not there."""
    gone = []
    for found in _NAMED.finditer(text):
        file, name = TESTS / found["file"], found["name"]
        if not file.is_file() or (name is not None and name not in _tests_of(file)):
            gone.append(found[0])
    return gone


@pytest.mark.parametrize("page", PAGES)
def test_named_tests_exist(page: str) -> None:
    assert missing(_page(page)) == []


def test_each_guarantee_names_its_test() -> None:
    made = guarantees()
    assert len(made) > 50
    assert [guarantee for guarantee, tests in made if not _NAMED.search(tests)] == []


def test_missing_test_is_reported() -> None:
    here = "website/test_security.py"
    assert missing(f"`{here}::test_each_guarantee_names_its_test`, `{here}`") == []
    gone = [f"`{here}::test_gone`", "`website/test_gone.py`", "`labextension/study.spec.tsx::is gone`"]
    assert missing(" ".join(gone)) == gone


def test_the_page_is_found_from_where_people_look() -> None:
    assert "(security.md)" in _page("docs/README.md")
    assert "(docs/security.md)" in _page("SECURITY.md")
