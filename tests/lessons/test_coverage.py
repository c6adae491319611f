"""Every row of the source material leads to something that is there, or to a lesson that is planned."""

from pathlib import Path

import pytest
from gpucluster.lessons.building.coverage import CoverageError, Row, page, problems, read_rows, row_ids
from gpucluster.lessons.catalogue import find_lesson


def test_each_of_243_rows_leads_somewhere() -> None:
    assert problems(read_rows()) == []
    assert len(row_ids()) == len(set(row_ids())) == 243
    assert [row.id for row in read_rows()] == row_ids()
    assert [row.planned for row in read_rows() if row.planned and find_lesson(row.planned)] == []


def test_the_page_lists_every_row_with_its_lessons() -> None:
    text = page(read_rows())
    assert text.count("\n* ") == 243
    assert "* k-means step 0: random init: 06\n" in text
    assert page([Row("S0-01", "x", ("06.2", "06#nowhere", "hook.1")), Row("S0-02", "y", planned="09")]).startswith(
        "## S0\n\n* x: 06, all\n* y: planned for 09\n"
    )


def test_what_is_missing_unknown_or_nowhere_is_said() -> None:
    rows = [Row(id, "x", ("06.2",)) for id in row_ids()[1:-1]]
    rows += [
        Row("S9-01", "x", ("06.2",)),
        Row("S4-17", "x", ("06.99", "06#nowhere", "06.q999", "06.c999", "hook.99", "06.2")),
    ]
    rows[0] = Row("S0-02", "x")
    rows[1] = Row("S0-03", "x", planned="06")
    assert problems(rows) == [
        "S0-01 is missing.",
        "S9-01 is not a row of the source material.",
        "S0-02 is neither covered nor planned.",
        "S0-03 is planned for '06', which is not an unwritten lesson.",
        *(f"S4-17 points to '{place}', which does not exist." for place in rows[-1].where[:-1]),
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[", "cannot be read"),
        ("text", "is not a list of rows"),
        ("S0-01: {where: [06.2]}", "S0-01 needs an item"),
        ("S0-01: {item: x}", "needs either a list of places"),
        ("S0-01: {item: x, where: [06.2], planned: 09}", "needs either a list of places"),
        ("S0-01: {item: x, where: [somewhere]}", "'somewhere' is not an exercise"),
        ("S0-01: {item: x, where: [06.2], more: y}", "S0-01 needs an item"),
    ],
)
def test_a_faulty_file_is_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "coverage.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CoverageError, match=sentence):
        read_rows(path)


def test_numbers_of_exercises_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "coverage.yaml"
    path.write_text("S0-01: {item: x, where: [06.10, 00.1]}", encoding="utf-8")
    assert read_rows(path) == [Row("S0-01", "x", ("06.10", "00.1"))]
