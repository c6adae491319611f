"""Loading the extension is cheap and can be repeated; a real IPython shell completes its lines."""

import json
import subprocess
import sys
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter

HEAVY = ("pydantic", "dask", "distributed", "numpy", "httpx", "argparse", "gpucluster.cli", "gpucluster.client")

_PROGRAM = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
before = set(sys.modules)
import gpucluster
shell.run_line_magic("load_ext", "gpucluster")
new = set(sys.modules) - before
print(json.dumps(sorted(new)))
"""


def test_import_and_load_ext_import_nothing_heavy():
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    new = json.loads(done.stdout.splitlines()[-1])
    assert "gpucluster.magics" in new
    assert [name for name in new if name.startswith(HEAVY)] == []
    # Each addition slows every notebook that loads the extension.
    assert {name for name in new if name.startswith("gpucluster")} == {"gpucluster", "gpucluster.magics"}


@pytest.fixture(scope="module")
def shell() -> Any:
    from IPython.core.interactiveshell import InteractiveShell

    made = InteractiveShell()
    made.run_line_magic("load_ext", "gpucluster")
    return made


def complete(shell: Any, line: str) -> list[str]:
    with provisionalcompleter():
        return [line[: item.start] + item.text for item in shell.Completer.completions(line, len(line))]


def test_variables_are_expanded_where_the_line_is(shell, capsys):
    shell.run_cell("verb = 'stop'\n%gpucluster help {verb}").raise_error()
    assert capsys.readouterr().out.startswith("usage: %gpucluster stop ")
    shell.run_cell("def ask(verb):\n    %gpucluster help $verb\nask('logs')").raise_error()
    assert capsys.readouterr().out.startswith("usage: %gpucluster logs ")
    shell.run_cell("%%gpucluster help\n{verb}").raise_error()
    assert capsys.readouterr().err.startswith("Unknown verb '{verb}'.")


def test_leased_cell_expands_its_variables(shell, capsys):
    result = shell.run_cell("%%gpucluster lease --n-workers {none_of_these}\nran = True")
    assert "The braces in it were not expanded: name 'none_of_these' is not defined." in str(result.error_in_exec)
    shell.run_cell("asked = '--help'")
    result = shell.run_cell("%%gpucluster lease {asked}\nran = True")
    assert str(result.error_in_exec).startswith("usage: %gpucluster lease")
    assert "ran" not in shell.user_ns


@pytest.mark.parametrize("magic", ["unload_ext", "reload_ext"])
def test_extension_can_be_reloaded(capsys, magic):
    from IPython.core.interactiveshell import InteractiveShell

    shell: Any = InteractiveShell()
    before = len(shell.input_transformers_cleanup), len(shell.events.callbacks["pre_run_cell"])
    for _ in range(2):
        shell.run_cell("%load_ext gpucluster").raise_error()
        shell.run_cell("%load_ext gpucluster").raise_error()
        assert capsys.readouterr() == ("", "")
        shell.run_cell(f"%{magic} gpucluster").raise_error()
        assert capsys.readouterr() == ("", "")
        if magic == "unload_ext":
            after = len(shell.input_transformers_cleanup), len(shell.events.callbacks["pre_run_cell"])
            found = shell.find_line_magic("gpucluster"), complete(shell, "%gpucluster sca")
            assert (after, found) == (before, (None, []))
        else:
            assert complete(shell, "%gpucluster sca") == ["%gpucluster scale"]
            shell.run_cell("%gpucluster help stop").raise_error()
            assert capsys.readouterr().out.startswith("usage: %gpucluster stop ")
    if magic == "unload_ext":
        shell.run_cell("%unload_ext gpucluster").raise_error()
        assert capsys.readouterr().out == "The gpucluster extension is not loaded.\n"


def test_the_shell_completes(shell, shared_cluster):
    offered = {
        "%gpucluster cr": ["%gpucluster create"],
        "%gpucluster create --n-": ["%gpucluster create --n-workers"],
        "%gpucluster create --backend ": [
            f"%gpucluster create --backend {name}"
            for name in ("auto", "cuda", "local", "slurm", "ssh", "mpi", "kubernetes", "gateway", "existing")
        ],
        "%gpucluster create --backend=lo": ["%gpucluster create --backend=local"],
        "%gpucluster scale ": ["%gpucluster scale shared"],
        "%%gpucluster scale sh": ["%%gpucluster scale shared"],
        "x = 1\n%gpucluster sca": ["x = 1\n%gpucluster scale"],
    }
    assert {line: complete(shell, line) for line in offered} == offered
    assert "import" in complete(shell, "impo"), "other lines are unchanged"


MISTAKES = [
    ("creat", "Unknown verb 'creat'. Did you mean 'create'?"),
    ("create --n-workers abc", "--n-workers: must be a whole number, not 'abc'."),
    ("create --n-workers -1", "--n-workers: must be at least 0, not -1."),
    ("create --name shared", "A cluster named 'shared' already exists."),
    ("create --name 'x", "Missing closing quotation mark."),
    ("create --json", "Unknown option '--json'."),
    ("scale", "N is missing."),
    ("scale NaN", "n_workers: must be a whole number, not 'NaN'."),
    ("scale 100000", "n_workers: must be at most 256, not 100000."),
    (
        "scale {missing}",
        "n_workers: must be a whole number, not '{missing}'. The braces in it were not expanded: name 'missing'",
    ),
    ("scale nobody 3", "Cluster 'nobody' not found."),
    ("adapt 5 1", "adapt: minimum (5) must not be larger than maximum (1)."),
    ("connect nobody", "Cluster 'nobody' not found."),
    ("logs --lines x", "--lines: must be a whole number, not 'x'."),
    ("help nonsense", "Unknown verb 'nonsense'."),
    ("dashboard --page nonsense", "--page: unknown page 'nonsense'. The pages are status, "),
    ("dashboard --page taskstream", "--page: unknown page 'taskstream'. Did you mean 'task-stream'?"),
    ("dashboard --page", "--page needs a value."),
    ("gauges nobody", "Cluster 'nobody' not found."),
    ("gauges shared twice", "Unexpected 'twice'."),
    ("gauges --json", "Unknown option '--json'."),
    ("record", "FILE is missing: name the output, such as kmeans.gpucluster.jsonl.gz."),
    ("record a.txt", "FILE: must end in .jsonl or .jsonl.gz; JupyterLab opens .gpucluster.jsonl.gz."),
    ("replay", "FILE is missing. Usage: %gpucluster replay [--speed FACTOR] FILE."),
    ("replay gone.jsonl", "Recording gone.jsonl not found. Bundled recordings: "),
    ("replay kmeans-cpu --speed fast", "--speed: must be a number such as 4 or 0.5, not 'fast'."),
    ("replay kmeans-cpu --speed 0", "--speed: must be a number from 0.25 to 64, not '0.0'."),
    ("replay broken.jsonl", "broken.jsonl is not a gpucluster recording."),
    ("lab", "'lab' is a command for a shell: gpucluster lab."),
    ("tunnel", "'tunnel' is a command for a shell: gpucluster tunnel."),
    ("lessons nonsense", "'lessons' is a command for a shell: gpucluster lessons."),
]


@pytest.mark.parametrize(("line", "sentence"), MISTAKES)
def test_mistakes_are_refused(shell, shared_site, shared_cluster, capsys, monkeypatch, tmp_path, line, sentence):
    before = shared_site.get("shared")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.jsonl").write_text("{}")
    shell.run_cell(f"%gpucluster {line}").raise_error()
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(sentence)
    assert err.count("\n") == 1
    after = shared_site.get("shared")
    assert (after.wanted, after.workers, len(shared_site.control.list())) == (before.wanted, before.workers, 1)


def test_help_comes_from_the_same_parser(shell, capsys):
    shell.run_cell("%gpucluster help create").raise_error()
    out = capsys.readouterr().out
    assert out.startswith("usage: %gpucluster create [OPTIONS]")
    assert "--rmm-async, --no-rmm-async" in out
    shell.run_cell("%gpucluster scale --help").raise_error()
    assert capsys.readouterr().out.startswith("usage: %gpucluster scale ")
    shell.run_cell("%gpucluster").raise_error()
    assert "  connect " in capsys.readouterr().out
