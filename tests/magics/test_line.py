"""Splitting of lines, and completions."""

import pytest
from gpucluster.client.libraries import libraries_for
from gpucluster.magics.completer import completions
from gpucluster.magics.line import Expansion, split_line
from gpucluster.protocol.errors import InvalidRequest


@pytest.mark.parametrize(
    ("line", "cell", "words"),
    [
        ("", None, []),
        ("create --memory-limit '2 GiB'", None, ["create", "--memory-limit", "2 GiB"]),
        ("scale 3  # it's enough", None, ["scale", "3"]),
        ("create", "--n-workers 2\n# a comment\n  --name x\n\n", ["create", "--n-workers", "2", "--name", "x"]),
        ("", "create --name x", ["create", "--name", "x"]),
        ("scale {n} $n $(id)", None, ["scale", "{n}", "$n", "$(id)"]),
    ],
)
def test_splitting(line: str, cell: str | None, words: list[str]) -> None:
    assert split_line(line, cell) == words


NAMES = {"n": 3, "size": "2 GiB", "name": "a#b", "o": {"k": [7]}}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("scale {n}", ["scale", "3"]),
        ("scale $n", ["scale", "3"]),
        ("scale {n + 1}", ["scale", "4"]),
        ("scale {o['k'][0]}", ["scale", "7"]),
        ("create --name {name} # {nothing}", ["create", "--name", "a#b"]),
        ("create --memory-limit '{size}'", ["create", "--memory-limit", "2 GiB"]),
        ("create --title '$n'", ["create", "--title", "$n"]),
        ("scale {nothing}", ["scale", "{nothing}"]),
        ("scale $nothing $(id) {", ["scale", "$nothing", "$(id)", "{"]),
        ('x \'{"a": {"n": 1}}\' {n} {} {n}', ["x", '{"a": {"n": 1}}', "3", "{}", "3"]),
        ("x '{{\"a\": {n}}}'", ["x", '{"a": 3}']),
    ],
)
def test_variables_are_expanded_as_ipython_does_and_json_stays(line: str, words: list[str]) -> None:
    assert split_line(line, None, Expansion(NAMES)) == words


def test_lines_below_are_not_expanded_and_quotes_must_close() -> None:
    assert split_line("create --n-workers {n}", "--name {n}", Expansion(NAMES))[-1] == "{n}"
    with pytest.raises(InvalidRequest, match=r"^Missing closing quotation mark\.$"):
        split_line("create --name 'x")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("scale {nothing}", "The braces in it were not expanded: name 'nothing' is not defined."),
        ("scale $nothing", "The variables in it were not expanded: name 'nothing' is not defined."),
        ("scale $n", None), ("scale $$nothing", None), ("scale 5$", None),
    ],
)  # fmt: skip
def test_unexpanded_text_has_a_reason(line: str, problem: str | None) -> None:
    expand = Expansion(NAMES)
    split_line(line, None, expand)
    assert expand.problem == problem


@pytest.mark.parametrize(
    ("text", "symbol", "expected"),
    [
        ("%gpucluster sca", "sca", ["scale"]),
        ("%gpucluster scale ", "", ["mine"]),
        ("%gpucluster create --backend=lo", "lo", ["local"]),
        ("%gpucluster create --rmm-allocator-external-lib-list cupy,to", "to", ["torch"]),
        ("%%gpucluster create --n-w", "--n-w", ["--n-workers"]),
    ],
)
def test_completions_fit_ipythons_token(text: str, symbol: str, expected: list[str]) -> None:
    assert completions(text, symbol, lambda which: ["mine"]) == expected


def test_cpu_clusters_get_cpu_collections() -> None:
    found = libraries_for(has_gpus=False)
    assert (found.arrays, found.frames, found.warning) == ("numpy", "pandas", None)
