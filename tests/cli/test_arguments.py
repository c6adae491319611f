"""Every mistake in the arguments gives one message."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpucluster.cli.arguments import HelpWanted, shown_path, whole_number
from gpucluster.cli.commands import MAGIC, SHELL
from gpucluster.cli.verbs import parser_for, verbs_of
from gpucluster.protocol.errors import InvalidRequest


@pytest.mark.parametrize("face", [SHELL, MAGIC])
@pytest.mark.parametrize(
    ("verb", "words", "sentence"),
    [
        ("create", ["--n-worker", "3"], "Unknown option '--n-worker'. Did you mean '--n-workers'?"),
        (
            "create",
            ["--directives", "--contiguous"],
            "Unknown option '--contiguous'. If it is the value of --directives, write --directives=--contiguous.",
        ),
        ("create", ["cuda"], "Unexpected 'cuda'."),
        ("create", ["--n-workers"], "--n-workers needs a value."),
        (
            "create",
            ["--launcher-options", "-n 1"],
            "--launcher-options needs a value. If that is '-n 1', write --launcher-options='-n 1'.",
        ),
        ("create", ["--rmm-async=yes"], "--rmm-async takes no value, not 'yes'. Write --rmm-async or --no-rmm-async."),
        ("create", ["--frob\x1b[31m"], "Unknown option '--frob?[31m'."),
        ("lease", ["--bogus", "3"], "Unknown option '--bogus'. See"),
        ("create", ["--title", "x"], "Unknown option '--title'. See '"),
        ("node", ["--clas"], "Unknown option '--clas'. Did you mean '--class'?"),
        ("scale", [], "N is missing."),
        ("scale", ["a", "3", "4"], "Unexpected '4'."),
        ("adapt", ["1"], "MAXIMUM is missing."),
        ("status", ["a", "b"], "Unexpected 'b'."),
    ],
)
def test_message(face: str, verb: str, words: list[str], sentence: str) -> None:
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


def mistyped(name: str) -> set[str]:
    """Return a word with typing mistakes: shortened, lengthened, or with two letters swapped."""
    return {name[:-1], name + "s", name[0] + name[2:0:-1] + name[3:], name.replace("-", "", 1)} - {name}


@pytest.mark.parametrize("face", [SHELL, MAGIC])
@pytest.mark.full
def test_every_option_is_suggested_wherever_it_is_mistyped(face: str) -> None:
    for verb in verbs_of(face):
        parser = parser_for(verb, face)
        known = parser.options()
        flags = {f"--{typed}" for flag in known for typed in mistyped(flag.lstrip("-")) if flag.startswith("--")}
        for flag in sorted(flags - set(known)):
            for words in ([flag], [flag, "3"], [f"{flag}=3"], ["x", flag, "3"], ["3", flag, "--json"], [flag[1:], "3"]):
                with pytest.raises(InvalidRequest) as caught:
                    parser.read(words)
                message = caught.value.message
                assert message.startswith("Unknown option '-") and "Did you mean '--" in message, (verb, words)


def test_values_that_look_like_options() -> None:
    assert vars(parser_for("create", SHELL).read(["-n4"])) == {"n_workers": "4"}
    assert vars(parser_for("create", SHELL).read(["-n", "none"])) == {"n_workers": "none"}
    assert vars(parser_for("scale", SHELL).read(["--", "3"])) == {"n_workers": "3"}
    assert vars(parser_for("record", SHELL).read(["x", "--note", "--fast --now"])) == {
        "file": "x",
        "note": "--fast --now",
    }
    with pytest.raises(InvalidRequest, match="Unknown option '-name'. Did you mean '--name'"):
        parser_for("create", SHELL).read(["-name", "lab"])


@pytest.mark.parametrize(
    ("typed", "face", "verb"),
    [
        ("creat", SHELL, "create"), ("CREATE", MAGIC, "create"), ("copy", SHELL, "lessons copy"),
        ("lesson", SHELL, "lessons"), ("lessons cpoy", SHELL, "lessons copy"), ("--vresion", SHELL, "--version"),
        ("lsit", SHELL, "list"),
    ],
)  # fmt: skip
def test_an_unknown_verb_names_the_nearest(typed: str, face: str, verb: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parser_for(typed, face)
    assert caught.value.message.startswith(f"Unknown verb '{typed}'. Did you mean '{verb}'? The verbs are ")


@pytest.mark.parametrize("text", ["", "x", "1.5", "1e3", "0", "-1", "101", "9" * 50])
def test_whole_number_refuses(text: str) -> None:
    with pytest.raises(InvalidRequest, match="^--lines: must "):
        whole_number(text, "--lines", 1, 100)


def test_a_long_path_is_shown_by_its_end():
    assert shown_path(Path("/tmp/a")) == "/tmp/a"
    assert shown_path("/home/ann/lessons\x1b[2J/06.ipynb") == "/home/ann/lessons?[2J/06.ipynb"
    shown = shown_path(f"/{'deep/' * 100}06.ipynb")
    assert (shown[0], shown[-14:], len(shown)) == ("…", "/deep/06.ipynb", 120)
