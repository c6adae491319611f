"""``%%gpucluster profile`` in a real kernel: an ordinary cell."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "magics"))

from test_notebook import Notebook

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def notebook(shared_site: Any, shared_cluster: Any) -> Iterator[Notebook]:
    made = Notebook()
    made.text("%load_ext gpucluster\n%gpucluster connect shared")
    yield made
    made.close()


def plain(outputs: list[dict[str, Any]], kind: str = "display_data") -> str:
    [output] = [output for output in outputs if output["type"] == kind]
    return str(output["data"]["text/plain"])


def html(outputs: list[dict[str, Any]]) -> str:
    [output] = [output for output in outputs if output["type"] == "display_data"]
    return str(output["data"]["text/html"])


def test_a_cell_and_its_report(notebook: Notebook) -> None:
    outputs = notebook.run("%%gpucluster profile\nx = client.submit(sum, [1, 41], pure=False).result()\nx")
    assert plain(outputs, "execute_result") == "42"
    report = plain(outputs)
    assert report.startswith("Profile of shared\n") and "Tasks:              1" in report
    shown = html(outputs)
    assert "<svg" in shown and "<script" in shown and "embed_item" in shown
    assert "Preparing" not in shown, "BokehJS is not kept in the notebook"
    assert len(shown) < 200_000
    assert notebook.text("print(x, profile_report.n_tasks, profile_report.cluster)") == "42 1 shared\n"


def test_await_magics_and_the_names_of_the_notebook(notebook: Notebook) -> None:
    code = """%%gpucluster profile --no-timeline
import asyncio
await asyncio.sleep(0.01)
%time y = 5
z = !echo shell
async def later():
    await asyncio.sleep(0)
    return y + 1
print(await later(), z[0])
"""
    outputs = notebook.run(code)
    assert [output for output in outputs if output["type"] == "error"] == []
    said = "".join(output["text"] for output in outputs if output["type"] == "stream")
    assert "6 shell" in said and "Wall time" in said
    assert "<script" not in html(outputs) and "<svg" not in html(outputs)
    assert notebook.text("print(y)") == "5\n"


def test_another_cell_magic_inside(notebook: Notebook) -> None:
    outputs = notebook.run("%%gpucluster profile shared\n%%capture inside\nprint('hidden')\n")
    assert plain(outputs).startswith("Profile of shared")
    assert notebook.text("print(inside.stdout)") == "hidden\n\n"
    outputs = notebook.run("%%gpucluster profile\nget_ipython().run_cell('a = 1')\nb = a + 1\nprint('after')")
    # The kernel may split printed text into several messages.
    *before, last = [output["type"] for output in outputs]
    assert (set(before), last) == ({"stream"}, "display_data"), "the report comes at the very end"
    notebook.run("%%capture outside\n%%gpucluster profile --quiet\nc = 3\n")
    assert notebook.text("print(b, c)") == "2 3\n"


def test_an_error_is_the_users_own(notebook: Notebook) -> None:
    code = "%%gpucluster profile\ndone = client.submit(sum, [1], pure=False).result()\n\n1 / 0"
    outputs = notebook.run(code)
    [error] = [output for output in outputs if output["type"] == "error"]
    assert error["ename"] == "ZeroDivisionError"
    trace = "\n".join(error["traceback"])
    assert "line 4" in trace and "profiled_cell" not in trace and "profiling" not in trace
    assert [output["type"] for output in outputs][-2:] == ["error", "display_data"]
    assert plain(outputs).startswith("Profile of shared, ended by ZeroDivisionError\n")
    outputs = notebook.run("%%gpucluster profile\nthis is no Python")
    assert [output["ename"] for output in outputs if output["type"] == "error"] == ["SyntaxError"]


def test_help_completion_and_files(notebook: Notebook, tmp_path: Path) -> None:
    said = notebook.text("%%gpucluster profile --help\nnever = 1")
    assert said.startswith("usage: %gpucluster profile [--timeline | --no-timeline]")
    assert notebook.complete("%%gpucluster prof") == ["%%gpucluster profile"]
    assert notebook.complete("%%gpucluster profile sh") == ["%%gpucluster profile shared"]
    assert "%%gpucluster profile --nsight" in notebook.complete("%%gpucluster profile --n")
    files = f"--json {tmp_path}/figures --perfetto {tmp_path}/trace"
    code = f"%%gpucluster profile --quiet {files}\nclient.submit(sum, [2], pure=False).result()"
    outputs = notebook.run(code)
    assert [output["type"] for output in outputs] == ["execute_result"]
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["n_tasks"] == 1 and figures["complete"] is True
    trace = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert [event["name"] for event in trace if event["ph"] == "X"] == ["sum", "0 → notebook"]
    assert notebook.text("print('never' in dir())") == "False\n"


def test_from_a_program_and_in_a_terminal(notebook: Notebook) -> None:
    outputs = notebook.run("get_ipython().run_cell_magic('gpucluster', 'profile --no-timeline', 'd = 4\\nd')")
    assert plain(outputs, "execute_result") == "4"
    assert plain(outputs).startswith("Profile of shared")


def test_a_terminal_gets_text(shared_cluster: Any, capsys: Any) -> None:
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "gpucluster")
    shell.run_cell("%%gpucluster profile shared\nprint('in the cell')").raise_error()
    out = capsys.readouterr().out
    assert out.startswith("in the cell\nProfile of shared\n")
    assert "Wall time:" in out and "<" not in out
