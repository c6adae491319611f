"""The published JSON Schemas: fresh, valid, and as strict as the program where a schema can be."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from gpucluster.lessons.learner_progress import FILE_NAME, record
from gpucluster.lessons.study import schemas

from .conftest import question


@pytest.mark.parametrize("name", schemas.FILES)
def test_the_published_schema_is_fresh(name: str) -> None:
    assert (schemas.FOLDER / name).read_text(encoding="utf-8") == schemas.text_of(name), (
        "Run: python -m gpucluster.lessons.study.schemas"
    )
    jsonschema.Draft202012Validator.check_schema(schemas.schema_of(name))


def test_the_program_writes_what_is_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(schemas, "FOLDER", tmp_path / "schemas")
    assert schemas.main(["--check"]) == 1
    assert "docs/schemas/quiz.schema.json is out of date." in capsys.readouterr().err
    assert schemas.main([]) == 0
    assert schemas.main(["--check"]) == 0
    assert {path.name for path in (tmp_path / "schemas").iterdir()} == set(schemas.FILES)


@pytest.mark.parametrize(
    ("fields", "valid"),
    [
        ({}, True), ({"type": "number", "answer": 1}, True), ({"type": "text", "answers": ["x"]}, True),
        ({"type": "essay"}, False), ({"link": "nowhere"}, False), ({"options": []}, False), ({"extra": 1}, False),
        ({"type": "number"}, False),
    ],
)  # fmt: skip
def test_a_question_against_the_schema(fields: dict[str, Any], valid: bool) -> None:
    content = {"schema_version": 1, "lesson": "91", "questions": [question(1, **fields)]}
    assert jsonschema.Draft202012Validator(schemas.schema_of("quiz.schema.json")).is_valid(content) is valid


def test_a_progress_file_against_its_schema(own_progress: Path) -> None:
    events: list[dict[str, Any]] = [
        {"kind": "check", "exercise": "91.1", "state": "failed", "failed": ["x"]},
        {"kind": "prediction", "id": "91.a", "predicted": 3},
        {"kind": "card", "id": "91.c1", "known": True},
        {"kind": "exam", "answers": {"91.q1": False}},
    ]
    for event in events:
        record(event)
    content = json.loads((own_progress / FILE_NAME).read_text())
    schema = schemas.schema_of("gpucluster-progress.schema.json")
    jsonschema.validate(content, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**content, "schema_version": 2}, schema)
