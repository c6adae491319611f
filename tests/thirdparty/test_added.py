"""Verbs and routes that another package adds to ours; broken ones are reported."""

import sys

import pytest
from gpucluster.cli import main
from gpucluster.cli.commands import MAGIC
from gpucluster.cli.completion import candidates
from gpucluster.cli.verbs import all_verbs, verbs_of
from gpucluster.protocol import entry_points
from gpucluster.server.added_routes import find_added
from gpucluster.server.openapi import openapi_document

MODULE = """
from gpucluster.cli.commands import Answer, Commands, Subcommand
from gpucluster.server.added_routes import AddedRoutes
from gpucluster.server.api import ClusterAPIHandler
from gpucluster.server.openapi import Operation


def declare(parser, face):
    parser.argument("--planet", metavar="NAME", complete=lambda: ["earth", "venus"], help="Which one.")
    parser.argument("--json", action="store_true", help="Print it as JSON.")


def greet(found, say):
    say("Thinking")
    return Answer(f"Hello, {found.planet}.", {"planet": found.planet}, warnings=["It is far."], code=3)


GREET = Commands((Subcommand("greet", "Greet a planet.", declare, run=greet),))
STARS = Commands((Subcommand("stars count", "Count them.", declare, ("gpucluster",), run=greet),), "Stars.")


class GreetHandler(ClusterAPIHandler):
    pass


ROUTES = AddedRoutes(
    lambda extension: [("greeting", GreetHandler, {})],
    [Operation("get", "api/greeting", "Greet.", "ErrorModel")],
)
"""
POINTS = """[gpucluster.commands]
greet = gpucluster_greeting:GREET
stars = gpucluster_greeting:STARS
list = gpucluster_greeting:GREET
absent = gpucluster_greeting_absent:GREET

[gpucluster.routes]
greeting = gpucluster_greeting:ROUTES
other = gpucluster_greeting:GREET
"""


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    (tmp_path / "gpucluster_greeting.py").write_text(MODULE)
    info = tmp_path / "gpucluster_greeting-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: gpucluster-greeting\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    entry_points.look_again()
    yield
    entry_points.look_again()
    sys.modules.pop("gpucluster_greeting", None)


def test_added_verb_is_listed_completed_and_run(capsys):
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "  greet             Greet a planet." in shown and "  stars count " in shown
    assert main(["greet", "--planet", "venus"]) == 3
    out, err = capsys.readouterr()
    assert (out, err) == ("Hello, venus.\n", "It is far.\n")
    assert main(["greet", "--planet", "venus", "--json"]) == 3
    assert '"planet": "venus"' in capsys.readouterr().out
    assert main(["stars"]) == 0
    assert "Stars.\n\n  stars count  Count them." in capsys.readouterr().out
    assert candidates(["gre"]) == ["greet"]
    assert candidates(["greet", "--planet", ""]) == ["earth", "venus"]
    assert candidates(["stars", ""]) == ["count"]
    assert "greet" in verbs_of(MAGIC) and "stars count" not in verbs_of(MAGIC)


def test_own_verbs_take_precedence_and_broken_ones_are_reported(capsys):
    assert [verb.summary for verb in all_verbs() if verb.name == "list"] == ["List your clusters on this machine."]
    assert main(["absent"]) == 2
    assert "The verb 'absent' of the package gpucluster-greeting 1.2 cannot be used." in capsys.readouterr().err


def test_routes_are_found_and_described():
    found = {one.name: one for one in find_added()}
    assert found["greeting"].problem is None and found["lessons"].problem is None
    assert "must be an instance of AddedRoutes" in found["other"].problem
    paths = openapi_document()["paths"]
    assert paths["/api/greeting"]["get"]["summary"] == "Greet." and "/api/lessons" in paths
    assert [pattern for pattern, *_ in found["greeting"].value.rules(None)] == ["greeting"]
