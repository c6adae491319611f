"""Every mistake in the words is one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpucluster.cli.arguments import HelpWanted, shown_path, whole_number
from gpucluster.cli.declarations import MAGIC, SHELL
from gpucluster.cli.verbs import parser_for, verbs_of
from gpucluster.protocol.errors import InvalidRequest


@pytest.mark.parametrize("face", [SHELL, MAGIC])
@pytest.mark.parametrize(
    ("verb", "words", "sentence"),
    [
        ("create", ["--n-worker", "3"], "Unknown option '--n-worker'. Did you mean '--n-workers'?"),
        ("create", ["cuda"], "Unexpected 'cuda'."),
        ("create", ["--n-workers"], "--n-workers needs a value."),
        ("create", ["--rmm-async=yes"], "--rmm-async takes no value, not 'yes'. Write --rmm-async or --no-rmm-async."),
        ("create", ["--frob\x1b[31m"], "Unknown option '--frob?[31m'."),
        ("scale", [], "N is missing."),
        ("scale", ["a", "3", "4"], "Unexpected '4'."),
        ("adapt", ["1"], "MAXIMUM is missing."),
        ("status", ["a", "b"], "Unexpected 'b'."),
    ],
)
def test_sentence(face: str, verb: str, words: list[str], sentence: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parser_for(verb, face).read(words)
    assert caught.value.message.startswith(sentence)
    assert "\n" not in caught.value.message


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["3"], {"n_workers": "3"}),
        (["lab", "3"], {"name": "lab", "n_workers": "3"}),
        (["lab", "--no-wait", "3"], {"name": "lab", "n_workers": "3", "no_wait": True}),
        (["--timeout", "5", "lab", "-1"], {"name": "lab", "n_workers": "-1", "timeout": "5"}),
        (["3", "3"], {"name": "3", "n_workers": "3"}),
    ],
)
def test_a_name_may_be_left_out_and_options_stand_anywhere(words: list[str], expected: dict[str, object]) -> None:
    assert vars(parser_for("scale", SHELL).read(words)) == expected


@pytest.mark.parametrize("face", [SHELL, MAGIC])
def test_every_verb_has_help(face: str) -> None:
    for verb in verbs_of(face):
        with pytest.raises(HelpWanted) as caught:
            parser_for(verb, face).read(["--help"])
        assert caught.value.text.startswith(f"usage: {face} {verb}")


def test_an_unknown_verb_names_the_nearest() -> None:
    with pytest.raises(InvalidRequest, match="Unknown verb 'creat'. Did you mean 'create'?"):
        parser_for("creat", SHELL)


@pytest.mark.parametrize("text", ["", "x", "1.5", "1e3", "0", "-1", "101", "9" * 50])
def test_whole_number_refuses(text: str) -> None:
    with pytest.raises(InvalidRequest, match="^--lines: must "):
        whole_number(text, "--lines", 1, 100)


def test_a_long_path_is_shown_by_its_end():
    assert shown_path(Path("/tmp/a")) == "/tmp/a"
    assert shown_path("/home/ann/lessons\x1b[2J/06.ipynb") == "/home/ann/lessons?[2J/06.ipynb"
    shown = shown_path(f"/{'deep/' * 100}06.ipynb")
    assert (shown[0], shown[-14:], len(shown)) == ("…", "/deep/06.ipynb", 120)
