"""The page about the command line is that of this version."""

from __future__ import annotations

from pathlib import Path

from gpucluster.cli.documentation import page
from gpucluster.cli.verbs import all_verbs, parser_for
from gpucluster.protocol.errors import GPUClusterError

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), (
        "run: python -m gpucluster.cli.documentation > docs/command-line.md"
    )


def exit_codes(error: type[GPUClusterError]) -> set[int]:
    return {error.exit_code}.union(*(exit_codes(child) for child in error.__subclasses__()))


def test_it_tells_every_verb_option_and_exit_code() -> None:
    text = page()
    for verb in all_verbs():
        assert f"\n## {verb.name}\n" in text
        for flag in parser_for(verb.name, verb.faces[0]).options():
            assert flag in text
    assert all(f"| {code} | " in text for code in exit_codes(GPUClusterError))
