"""Files of answers are read as they say, and a mistake in one is reported with its line."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.lessons import answering

FILE = """import operator

# %% right sum: Adds.
def add(a, b):
    c = a + b
    return c

# %% wrong both, edit of right sum: Takes away, and says more.
# fails: It adds
# ~ add(a, b) => add(a, b, *_)
# -     c = a + b
#
# -     return c
# +     c = a - b
# +
# +     return c, "more"
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], object]]:
    monkeypatch.setattr(answering, "file_of", lambda exercise: tmp_path / f"{exercise}.py")
    answering.answers_to.cache_clear()
    yield lambda text: (tmp_path / "99.1.py").write_text(text, encoding="utf-8")
    answering.answers_to.cache_clear()


def test_an_edit_changes_lines_below_the_shared_imports(write: Callable[[str], object]) -> None:
    write(FILE)
    right, wrong = answering.answers_to("99.1")
    assert (right.right, right.name, right.fails) == (True, "sum", ())
    assert right.text == "import operator\n\n\ndef add(a, b):\n    c = a + b\n    return c\n"
    assert (wrong.right, wrong.name, wrong.fails) == (False, "both", ("It adds",))
    assert wrong.text == 'import operator\n\n\ndef add(a, b, *_):\n    c = a - b\n\n    return c, "more"\n'
    assert answering.answer("99.1", "wrong both") is wrong


def test_an_edit_may_be_of_the_lessons_solution(
    write: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answering, "solution_of", lambda exercise: f"def add(a, b):\n    return a + b  # {exercise}\n")
    write("# %% right other, edit of the solution\n# ~ a + b => b + a\n")
    (right,) = answering.answers_to("99.1")
    assert right.text == "def add(a, b):\n    return b + a  # 99.1\n"


def test_an_edit_is_of_the_first_answer_and_code_follows_it(write: Callable[[str], object]) -> None:
    write("# %% right sum\nA = 1\n# %% right other, edit of right sum\n# ~ 1 => 2\nB = 3\n\n# %% right last\nC = 1\n")
    assert answering.answer("99.1", "right other").text == "A = 2\nB = 3\n"
    answering.answers_to.cache_clear()
    write("# %% right sum\nA = 1\n# %% right other\nA = 3\n# %% right last\n# ~ A = 1 => A = 2\n")
    assert answering.answer("99.1", "right last").text == "A = 2\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# %% right sum: Adds.", "# %% sum", "line 3: write '# %% right NAME'"),
        ("# fails: It adds\n", "", "line 8: a wrong answer has a line '# fails: PROPERTY'"),
        ("edit of right sum", "edit of right product", "line 8: there is no 'right product' above"),
        ("# -     return c\n", "# -     return\n", "line 8: these lines are in the other answer 0 times"),
        ("~ add(a, b) =>", "~ add(a) =>", "line 8: this is in the other answer 0 times, not once: add(a)"),
        ("~ add(a, b) =>", "~ b =>", "line 8: this is in the other answer 2 times, not once: b"),
        ("b) => add", "b) add", "line 8: an edit of a part of a line is '# ~ OLD => NEW', not '# ~ add(a, b) add"),
        ("# -     c = a + b\n", "#     c = a + b\n", "line 8: an edit has lines '# - OLD' and then '# + NEW'"),
        ("# %% wrong both", "# %% right sum", "line 8: there is another 'right sum' above"),
    ],
)
def test_a_mistake_is_reported_with_its_line(write: Callable[[str], object], old: str, new: str, message: str) -> None:
    assert FILE.count(old) == 1
    write(FILE.replace(old, new))
    with pytest.raises(ValueError, match=re.escape(message)):
        answering.answers_to("99.1")
