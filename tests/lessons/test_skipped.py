"""Any exercise may be left empty: no later cell takes a name that only a solved exercise makes, without asking.

Nothing is run. Of each name it is known under which guards it is made, such as ``if ready("15.2", split):``, and each
use of it, even in functions that a cell calls, needs the same guards. A blank function returns None, so a cell may call
it and look at what comes back.
"""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import pytest
from gpucluster.lessons import checking, lab
from gpucluster.lessons.building.source import SourceCell, read_source
from gpucluster.lessons.catalogue import COURSE, lessons
from gpucluster.lessons.checks import exercises
from gpucluster.lessons.following import Names

Guards = frozenset[str]
NONE: Guards = frozenset()
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LEAVING = (ast.Continue, ast.Break, ast.Return, ast.Raise)
TAKE_NONE = {"check", "ready", "print", "display", "compare", "figures", "drawings", "as_numpy"}
"""Functions, and modules of functions, that may be given what is not there yet."""
LESSONS = [lesson.id for lesson in lessons()]


@dataclass
class Name:
    enough: tuple[str, ...] = ("there",)
    made: list[Guards] = field(default_factory=list)
    """The guards of each place that gives it a value."""
    is_there: bool = False
    """Whether it has at least a placeholder (None, an empty answer), so that it can be asked for."""
    inside: list[tuple[str, Guards, str]] = field(default_factory=list)
    """What a function uses, each with the guards around it there."""


class Notebook(ast.NodeVisitor):
    """Goes through the cells in order, and writes down what is used without its guards."""

    def __init__(self, answers: dict[str, str], *, raised: bool = False) -> None:
        self.answers = answers
        self.raised = raised
        self.names = {name: Name(is_there=True) for name in answers}  # `lessons.start` makes placeholders
        self.guards: Guards = NONE
        self.faults: list[str] = []
        self.cell = ""
        self.uses: list[tuple[str, Guards, str]] | None = None
        self.local: set[str] = set()

    def run(self, cell: SourceCell) -> None:
        """Go through a cell as the learner has it; of an exercise, also what its solution would use and make."""
        self.cell = next((line for line in cell.text.splitlines() if line.strip()), "")
        learner, solution = (ast.parse(_plain(text)) for text in (cell.learner_text(), cell.solution_text()))
        if "exercise" not in cell.tags or not cell.exercise:
            self.block(learner.body)
            return
        given = {ast.dump(statement) for statement in learner.body}  # what the learner has to begin with
        for name in _bound(ast.Module([one for one in learner.body if self.has_run(one)], [])):
            self.names.setdefault(name, Name()).is_there = True
        for statement in solution.body:
            is_given = ast.dump(statement) in given and self.has_run(statement)
            self.guards = NONE if is_given else frozenset({cell.exercise})
            before = list(self.faults)
            self.visit(statement)
            if self.guards:
                self.faults = before  # the learner writes this
        self.guards = NONE

    def has_run(self, statement: ast.stmt) -> bool:
        """Whether a statement of an exercise's cell has been run; of a cell that raised, only its definitions."""
        return not self.raised or isinstance(statement, (*DEFINITIONS, ast.Import, ast.ImportFrom))

    def block(self, statements: list[ast.stmt]) -> None:
        """Go through statements; after ``if not ready(…): continue`` the others have its guard."""
        before = self.guards
        for statement in statements:
            self.visit(statement)
            if isinstance(statement, ast.If) and isinstance(statement.body[-1], LEAVING):
                self.guards |= self.implied(statement.test)[1]
        self.guards = before

    def visit_For(self, node: ast.For) -> None:
        """Go through a loop; over nothing, as in ``for x in (1, 2) if ready(…) else ()``, it does nothing."""
        self.visit(node.iter)
        nothing = isinstance(node.iter, ast.IfExp) and ast.unparse(node.iter.orelse) in {"()", "[]", "{}"}
        before = self.guards
        if nothing and isinstance(node.iter, ast.IfExp):
            self.guards |= self.implied(node.iter.test)[0]
        self.visit(node.target)
        self.block(node.body)
        self.guards = before
        self.block(node.orelse)

    # What is made.

    def make(self, name: str, *, placeholder: bool = False, guards: Guards = NONE) -> None:
        if name in self.local:
            return
        known = self.names.setdefault(name, Name())
        if placeholder:
            known.is_there |= not self.guards
            return
        known.made.append(self.guards | guards)
        known.is_there |= not self.guards

    def visit_Assign(self, node: ast.Assign) -> None:
        takes_apart = any(isinstance(target, (ast.Tuple, ast.List)) for target in node.targets)
        if takes_apart and not isinstance(node.value, (ast.Tuple, ast.List)):
            self.visit(node.value)  # None cannot be taken apart
        else:
            self.look_at(node.value)
        for target in node.targets:
            self.assign(target, node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        self.look_at(node.value)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value:
            self.look_at(node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.look_at(node.value)
        self.assign(node.target, node.value)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name) and _is_placeholder(value):
            self.make(target.id, placeholder=True)
        elif isinstance(target, ast.Name):
            self.make(target.id, guards=self.answered_by(value))
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and all(map(_is_placeholder, value.elts)):
            for one, part in zip(target.elts, value.elts, strict=True):
                self.assign(one, part)
        else:
            self.visit(target)

    def answered_by(self, value: ast.expr) -> Guards:
        """The exercise of which this calls the answer: its result is None as long as that is empty."""
        if isinstance(value, ast.IfExp) and _is_placeholder(value.orelse):
            return self.implied(value.test)[0] | self.answered_by(value.body)
        called = value.func if isinstance(value, ast.Call) else None
        return frozenset(
            {self.answers[called.id]} if isinstance(called, ast.Name) and called.id in self.answers else ()
        )

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = node.args
        outer = self.uses, self.local
        own: list[tuple[str, Guards, str]] = []
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        self.uses = own  # what is around the definition holds inside as well
        self.local = self.local | {one.arg for one in named if one} | _bound(ast.Module(node.body, []))
        for default in [*arguments.defaults, *filter(None, arguments.kw_defaults), *node.decorator_list]:
            self.visit(default)
        self.block(node.body)
        self.uses, self.local = outer
        if self.uses is not None:
            self.uses += own
            return
        self.make(node.name)
        self.names[node.name].inside = own
        self.names[node.name].enough = ("there", "value")  # also a blank function can be passed on

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.make(node.name)
        inner = ast.FunctionDef("", _no_arguments(), node.body, [])
        outer = self.names.get("")
        self.visit_FunctionDef(inner)
        self.names[node.name].inside = self.names.pop("", Name()).inside if outer is None else []

    def visit_Lambda(self, node: ast.Lambda) -> None:
        arguments = node.args
        before, self.local = self.local, self.local | {one.arg for one in [*arguments.args, *arguments.kwonlyargs]}
        self.visit(node.body)
        self.local = before

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        for one in node.names:
            self.make((one.asname or one.name).partition(".")[0])

    visit_ImportFrom = visit_Import

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> None:
        before = self.local
        for one in node.generators:
            self.visit(one.iter)
            self.local = self.local | _bound(one.target)
            for condition in one.ifs:
                self.visit(condition)
        for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self.look_at(part)
        self.local = before

    visit_ListComp = visit_SetComp = visit_GeneratorExp = visit_DictComp = comprehension

    # What is asked.

    def visit_If(self, node: ast.If | ast.IfExp, visit: Callable[[ast.expr], None] | None = None) -> None:
        yes, no = self.implied(node.test)
        for guards, part in ((yes, node.body), (no, node.orelse)):
            before, self.guards = self.guards, self.guards | guards
            self.block(part) if isinstance(part, list) else (visit or self.visit)(part)
            self.guards = before

    visit_IfExp = visit_If

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        self.implied(node)

    def implied(self, test: ast.expr) -> tuple[Guards, Guards]:
        """Visit a condition; return which exercises are solved where it is true, and where it is not."""
        if isinstance(test, ast.BoolOp):
            before, found = self.guards, NONE
            for part in test.values:
                yes, no = self.implied(part)
                found |= yes if isinstance(test.op, ast.And) else no
                self.guards = before | found
            self.guards = before
            return (found, NONE) if isinstance(test.op, ast.And) else (NONE, found)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            yes, no = self.implied(test.operand)
            return no, yes
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and _is_placeholder(test.comparators[0]):
            yes = self.asked(test.left)
            return (NONE, yes) if isinstance(test.ops[0], (ast.Is, ast.Eq)) else (yes, NONE)
        if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "ready":
            number, *answers = test.args
            assert isinstance(number, ast.Constant)
            found = frozenset({str(number.value)})
            for answer in answers:
                found |= self.asked(answer)
            return found, NONE
        return self.asked(test), NONE

    def asked(self, value: ast.expr) -> Guards:
        """The guards of a value that turns out to be there."""
        if isinstance(value, ast.NamedExpr):
            self.visit(value)
            return self.answered_by(value.value)
        if isinstance(value, ast.Name) and value.id not in self.local:
            self.use(value.id, as_what="there")
            made = self.names.get(value.id, Name()).made
            own = {self.answers[value.id]} if value.id in self.answers else ()
            return frozenset.intersection(*made) | frozenset(own) if made else frozenset(own)
        self.look_at(value)
        return self.answered_by(value)

    # What is used.

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.use(node.id)
        elif isinstance(node.ctx, ast.Store):
            self.make(node.id)

    def look_at(self, value: ast.expr) -> None:
        """Visit a value that may be None: a name that is there, or what a blank function returns."""
        if isinstance(value, ast.Name):
            self.use(value.id, as_what="there")
        elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in self.answers:
            self.use(value.func.id, as_what="there")
            self.arguments(value)
        elif isinstance(value, ast.IfExp):
            self.visit_If(value, self.look_at)
        else:
            self.visit(value)

    def arguments(self, node: ast.Call, *, lenient: bool = False) -> None:
        for part in [*node.args, *(one.value for one in node.keywords)]:
            self.look_at(part) if lenient else self.visit(part)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name):
            self.use(node.func.id, as_what="call")
        else:
            self.visit(node.func)
        called = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        self.arguments(node, lenient=isinstance(called, ast.Name) and called.id in TAKE_NONE)

    def visit_Dict(self, node: ast.Dict) -> None:
        for part in [*filter(None, node.keys), *node.values]:
            self.look_at(part)

    def visit_List(self, node: ast.List | ast.Tuple) -> None:
        for part in node.elts:
            self.look_at(part) if isinstance(node.ctx, ast.Load) else self.visit(part)

    visit_Tuple = visit_List

    def visit_FormattedValue(self, node: ast.FormattedValue) -> None:
        self.visit(node.value) if node.format_spec else self.look_at(node.value)

    def use(self, name: str, *, as_what: str = "value") -> None:
        if name in self.local:
            return
        if self.uses is not None:
            self.uses.append((name, self.guards, as_what))
            return
        for fault in self.lacking(name, self.guards, as_what, ()):
            if fault not in self.faults:
                self.faults.append(fault)

    def lacking(self, name: str, guards: Guards, as_what: str, through: tuple[str, ...]) -> Iterator[str]:
        known = self.names.get(name)
        if known is None or name in through:
            return
        enough = any(made <= guards for made in known.made) or (as_what in known.enough and known.is_there)
        if not enough:
            path = " in ".join([f"`{name}`", *(f"`{one}`" for one in reversed(through))])
            needs = " or ".join(sorted(", ".join(sorted(made - guards)) for made in known.made)) or "a value"
            yield f"{path} needs {needs} solved; cell: {self.cell}"
        if not self.cell.startswith("check("):  # a check has its own answers to earlier exercises
            for other, around, how in known.inside:
                yield from self.lacking(other, guards | around, how, (*through, name))


def _bound(tree: ast.AST) -> set[str]:
    """Names that code binds at its own level."""
    found: set[str] = set()
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        if isinstance(node, DEFINITIONS):
            found.add(node.name)
        elif not isinstance(node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            left += ast.iter_child_nodes(node)
    return found


def _no_arguments() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])


def _is_placeholder(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and (value.value is None or value.value is ...)


def _plain(text: str) -> str:
    return "\n".join("pass" if line.startswith(("%", "!")) else line for line in text.splitlines())


def faults_of(cells: Iterable[SourceCell], answers: dict[str, str], *, raised: bool = False) -> list[str]:
    """Return which names are used without the guards that they need, one sentence each.

    ``raised``: as if the cells of exercises had ended in an error right after their definitions.
    """
    notebook = Notebook(answers, raised=raised)
    for cell in cells:
        if cell.type == "code":
            notebook.run(cell)
    return notebook.faults


@pytest.mark.parametrize("raised", [False, True], ids=["empty", "raised"])
@pytest.mark.parametrize("lesson", LESSONS)
def test_every_exercise_can_be_skipped(lesson: str, raised: bool) -> None:
    (path,) = COURSE.glob(f"lesson_{lesson}_*/lesson.py")
    answers = {name: one.id for one in exercises(lesson) for name in one.answers}
    assert faults_of(read_source(path).cells, answers, raised=raised) == []


@pytest.mark.parametrize(
    ("later", "fault"),
    [
        ("print(f'{made.size:5}')", True),
        ("if ready('99.1', answer):\n    made.size", False),
        ("if ready('99.1', answer, made):\n    made.size", False),
        ("if ready('99.2', other):\n    made.size", True),
        ("def use():\n    return made.size", False),
        ("def use():\n    return made.size\nuse()", True),
        ("def use():\n    return made.size\nif made is not None:\n    use()", False),
        ("x = other(1)\nif x is not None:\n    x + 1", False),
        ("other(1) + 1", True),
        ("x, y = other(1)", True),
        ("if ready('99.2', other):\n    x, y = other(1)", False),
        ("for x in [1, 2]:\n    if not ready('99.1', answer):\n        break\n    made.size", False),
    ],
)
def test_a_name_without_its_guard_is_found(later: str, fault: bool) -> None:
    def solved(name: str) -> str:
        return f"def {name}(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION"

    cells = [
        SourceCell("code", solved("answer"), ("exercise",), "99.1"),
        SourceCell("code", solved("other"), ("exercise",), "99.2"),
        SourceCell("code", "made = None\nif ready('99.1', answer):\n    made = answer(1)", ("run",)),
        SourceCell("code", later, ("run",)),
    ]
    assert bool(faults_of(cells, {"answer": "99.1", "other": "99.2"})) == fault


def test_what_a_cell_that_raised_did_not_make_is_found() -> None:
    solved = "### BEGIN SOLUTION\nrows = [1]\nanswer = rows[0]\n### END SOLUTION"
    cells = [
        SourceCell("code", solved, ("exercise",), "99.1"),
        SourceCell("code", "check('99.1', answer)", ("check",), "99.1"),
        SourceCell("code", "print(len(rows))", ("run",)),
    ]
    assert faults_of(cells, {"answer": "99.1"}, raised=True) == ["`rows` needs 99.1 solved; cell: print(len(rows))"]


def test_answers_have_placeholders_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"cosine": 0.5}
    monkeypatch.setattr(lab, "notebook_names", lambda answers: Names(names))
    lab._name_answers("07")
    assert names["cosine"] == 0.5
    assert names["quality"] is ...


def test_our_version_stands_in_until_the_learner_has_an_own_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    monkeypatch.setattr(checking, "notebook_names", lambda answers: Names(names))
    monkeypatch.setattr(checking, "note", lambda event: None)
    checking.continue_with("15.1", "15.2", "99.1")
    assert checking.ready("15.1", names["charter"])
    assert checking.ready("15.2", names["split"])
    said = capsys.readouterr().out.splitlines()
    assert len(said) == 3
    assert "99.1" in said[2]
