"""Cells of a lesson that need not run to grade what the learner has written."""

import pytest
from gpucluster.lessons.grading.runner.steps import fingerprint, needed_cells


def run(*cells: str) -> list[str]:
    """Which cells run; those of the lesson begin with nothing, those of the learner with '>'."""
    own = [cell.startswith(">") for cell in cells]
    codes = [cell.removeprefix(">") for cell in cells]
    return [code for code, needed in zip(codes, needed_cells(codes, own), strict=True) if needed]


def test_what_an_answer_reads_runs_and_what_that_reads() -> None:
    assert run(
        "import numpy as np, time",
        "rows = np.ones(3)",
        "began = time.time()",
        "def double(x):\n    return scale(x) * 2",
        "def scale(x):\n    return x * factor",
        "factor = 3",
        "print(double(rows))",
        "%%gpucluster profile\nclient.gather(futures)",
        ">def answer(n):\n    return double(n)",
    ) == [
        "def double(x):\n    return scale(x) * 2",
        "def scale(x):\n    return x * factor",
        "factor = 3",
        "def answer(n):\n    return double(n)",
    ]


CHANGES_X = [
    "x = [1]", "x[0] = 1", "x.size = 1", "x.first[0].append(1)", "x().y.append(1)", "x += [1]",
    "for x in range(3):\n    pass", "with open('a') as x:\n    pass", "if True:\n    x.sort()", "del x",
    "def x():\n    pass", "def f():\n    global x\n    x = 1", "from y import z as x", "x: int = 1", "(x := 1)",
    "try:\n    pass\nexcept* OSError as x:\n    pass", "match 1:\n    case x:\n        pass", "draw(x)",
    "draw(x.client, 1)", "?x", "x = !ls",
]  # fmt: skip
LEAVES_X = [
    "print(x)", "print(x.mean())", "display(x)", "figures.draw(x)", "y = draw(x)", "y = x.copy()",
    "def f():\n    x = 1\n    return x", "[x for x in range(3)]", "lambda x: x", "!ls",
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "runs"), [*((code, True) for code in CHANGES_X), *((code, False) for code in LEAVES_X)]
)
def test_what_changes_a_name_that_is_read_runs(change: str, runs: bool) -> None:
    assert run(change, ">x") == ([change, "x"] if runs else ["x"])
    assert run(change, ">def answer():\n    return [x for _ in range(3)]")[:-1] == ([change] if runs else [])


def test_a_module_is_not_changed_by_a_call_of_its_functions() -> None:
    assert run("import figures", "figures.draw(1)", "figures.colour = 2", ">figures.draw(2)") == [
        "import figures",
        "figures.draw(2)",
    ]


def test_the_learners_import_hides_no_name_of_the_lesson() -> None:
    assert run("path = 'a'", ">from os import path", ">path") == ["path = 'a'", "from os import path", "path"]
    assert run("import wait", "wait = 2", ">wait") == ["import wait", "wait = 2", "wait"]


@pytest.mark.parametrize(
    "reads",
    [
        "class Seen:\n    x = x",
        "table.query('a < @x')",
        "pd.eval('x > 0')",
        "def f():\n    '''Do it.\n\n    >>> x\n    1\n    '''",
    ],
)
def test_names_in_bodies_of_classes_and_in_texts_that_are_code_are_read(reads: str) -> None:
    assert run("x = 1", "y = 2", f">{reads}") == ["x = 1", reads]
    assert run("x = 1", ">print('x')", ">def f():\n    '''Of x.'''") == ["print('x')", "def f():\n    '''Of x.'''"]


@pytest.mark.parametrize(
    "reads",
    [
        "globals()['x']", "eval('x')", "get_ipython().user_ns", "vars()", "import __main__", "info = _", "Out[3]",
        "sys.modules[__name__]", "f.__globals__", "names = %who_ls", "%run -i h.py",
    ],
)  # fmt: skip
def test_whoever_reads_names_by_their_text_gets_all(reads: str) -> None:
    assert run("x = 1", "y = 2", f">{reads}") == ["x = 1", "y = 2", reads]
    assert run("globals()['x']", "y = 2", ">z") == ["z"], "as the lesson itself knows what it does"


@pytest.mark.parametrize(
    "odd",
    ["x = = y", "%time x", "  x", "x\0", "(" * 50_000, "-" * 90_000 + "1", "a." * 5_000 + "x", "x = 1\n" * 40_000],
)
def test_what_is_no_python_or_too_much_gets_whatever_it_may_mean(odd: str) -> None:
    found = run("x = 1", "y = 2", f">{odd}")
    assert found[-1] == odd
    assert ("x = 1" in found) == ("x" in odd)
    assert run(odd, ">z")[-1] == "z"


ANSWER = """
def assign(points, centroids):
    distances = ((points[:, None] - centroids[None]) ** 2).sum(axis=2)
    nearest = distances.argmin(axis=1)
    return nearest, distances[range(len(distances)), nearest]
"""


@pytest.mark.parametrize(
    "same",
    [
        "# mine\n" + ANSWER.replace("distances", "d").replace("nearest", "i"),
        ANSWER.replace("(points, centroids):", '(points, centroids):\n    """My own."""\n'),
        "%%time\n" + ANSWER.replace(" = ", "  =  "),
        ANSWER.replace("assign", "mine").replace("points", "x"),
    ],
)
def test_answers_that_differ_in_names_and_comments_have_one_fingerprint(same: str) -> None:
    assert fingerprint([ANSWER]) == fingerprint([same]) != ""


@pytest.mark.parametrize(
    "other",
    [ANSWER.replace("argmin", "argmax"), ANSWER.replace("axis=2", "axis=-1"), ANSWER.replace("range", "sorted")],
)
def test_other_answers_have_another_fingerprint(other: str) -> None:
    assert fingerprint([ANSWER]) != fingerprint([other]) != ""


@pytest.mark.parametrize("code", ["", "...", "def f(:", "x = 1", "((" * 5000, "def partial(*a):\n    return 1, 2, 3"])
def test_short_and_broken_answers_have_no_fingerprint(code: str) -> None:
    assert fingerprint([code]) == ""
