"""Wrong commands give one message and an exit code, and change nothing."""

import json
from typing import Any

import pytest
from gpucluster.cli import main
from gpucluster.registry.links import living_links

NOT_A_NUMBER = ["abc", "1.5", "true", "1e30", "NaN", "", "none"]


def picture(site: Any) -> Any:
    """Return all state of the clusters that a refused request might change."""
    return [
        (model.id, model.state, model.wanted, [w.pid for w in model.workers],
         living_links(site.registry.folder(model.id)))
        for model in site.control.list()
    ]  # fmt: skip


def refused(capsys: Any, *words: str) -> tuple[int, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.endswith(".\n")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return code, err.strip()


@pytest.mark.parametrize("value", [*NOT_A_NUMBER, "-1", "100000", "9" * 5000])
def test_scale(shared_site, shared_cluster, capsys, value):
    before = picture(shared_site)
    code, sentence = refused(capsys, "scale", "shared", value)
    assert code == 2
    assert sentence.startswith("n_workers: must be ")
    assert picture(shared_site) == before


def test_memory_limit_cannot_exceed_machine(shared_site, capsys):
    before = picture(shared_site)
    code, sentence = refused(capsys, "create", "--backend", "local", "--memory-limit", "900 TiB")
    assert code == 2
    assert sentence.startswith("--memory-limit: 900 TiB for one worker is more than the ")
    # The message contains all faults, in the order of the options.
    words = ["--protocol", "udp", "--memory-limit", "900 TiB", "--threads-per-worker", "0"]
    code, sentence = refused(capsys, "create", "--backend", "local", *words)
    assert code == 2
    told = [part.split(":")[0] for part in sentence.split("; ") if part.startswith("--")]
    assert told == ["--threads-per-worker", "--memory-limit", "--protocol"]
    assert picture(shared_site) == before


@pytest.mark.parametrize(
    "bounds", [("5", "1"), ("-3", "-1"), ("0", "1000000000"), ("abc", "2"), ("1", ""), ("1.5", "2"), ("true", "2")]
)
def test_adapt(shared_site, shared_cluster, capsys, bounds):
    before = picture(shared_site)
    code, sentence = refused(capsys, "adapt", "shared", *bounds)
    assert code == 2
    assert sentence.startswith("adapt")
    assert picture(shared_site) == before


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        *[
            (words.split(), 3, "Cluster 'nobody' not found.")
            for words in ("status nobody", "scale nobody 3", "adapt nobody 1 3", "restart nobody", "remove nobody")
        ],
        (["stop", "nobody"], 3, "Cluster 'nobody' not found."),
        (["stop", "shared", "nobody"], 3, "Cluster 'nobody' not found."),
        (["logs", "../../etc"], 3, "Cluster '../../etc' not found."),
        (["create", "--backend", "local", "--name", "shared"], 4, "A cluster named 'shared' already exists."),
        (["remove", "shared"], 4, "The cluster 'shared' is running; stop it before it can be removed."),
        (
            ["create", "--name", "two words"],
            2,
            "--name: must start with a letter or digit and have at most 63 letters, digits, '.', '_' or '-'; ' ' is",
        ),
        (["create", "--name", "x\n"], 2, "--name: must start with a letter or digit"),
        (["create", "--backend", "gpu"], 2, "--backend: must be one of"),
        (["create", "--n-workers", "9" * 5000], 2, "--n-workers: must be "),
        (["create", "--timeout", "0"], 2, "--timeout: must be between 1 and 86400, not 0."),
        (["logs", "--lines", "x"], 2, "--lines: must be a whole number, not 'x'."),
        (["stop", "shared", "--all"], 2, "Pass names or --all, not both."),
        (["scale"], 2, "N is missing."),
        (["scale", "shared"], 2, "N is missing: scale NAME N."),
        (["adapt", "shared", "1"], 2, "MAXIMUM is missing: adapt NAME MINIMUM MAXIMUM."),
        (["scal", "3"], 2, "Unknown verb 'scal'. Did you mean 'scale'?"),
        (["list", "everything"], 2, "Unexpected 'everything'."),
        (["completion", "tcsh"], 2, "No completion for 'tcsh'."),
        (["logs", "--follow", "--json"], 2, "--json and --follow cannot be combined."),
        (["lease"], 2, "COMMAND is missing. Write it after --: gpucluster lease -- COMMAND."),
        (["lease", "--"], 2, "COMMAND is missing. Write it after --: gpucluster lease -- COMMAND."),
        (["lease", "python", "x.py"], 2, "Unexpected 'python'. Write -- before the command: gpucluster lease -- COMMA"),
        (["lease", "--", "no-such-command"], 2, "'no-such-command' was not found, or you may not run it."),
        (["lease", "-n", "0", "--", "true"], 2, "--n-workers: a lease has at least 1 worker."),
        (["lease", "--bogus", "--", "true"], 2, "Unknown option '--bogus'."),
        (["gauges", "nobody"], 3, "Cluster 'nobody' not found"),
        (["gauges", "--top", "0"], 2, "--top: must be between 1 and 10000, not 0."),
        (["gauges", "--by", "colour"], 2, "--by: must be one of memory, gpu, cpu, tasks, disk, not 'colour'."),
        (["replay"], 2, "FILE is missing. Usage: gpucluster replay"),
        (["replay", "kmeans"], 3, "Recording kmeans not found. Did you mean 'kmeans-cpu'?"),
        (["replay", "kmeans-cpu", "--speed", "fast"], 2, "--speed: must be a number such as 4 or 0.5, not 'fast'."),
        (["replay", "kmeans-cpu", "--speed", "100"], 2, "--speed: must be a number from 0.25 to 64, not '100.0'."),
        (["replay", "kmeans-cpu", "--speed", "1_0"], 2, "--speed: must be a number such as 4 or 0.5, not '1_0'."),
        (["replay", "/dev/null"], 3, "Recording /dev/null not found."),
        (["record"], 2, "FILE is missing. Usage: gpucluster record"),
        (["record", "shared"], 2, "FILE is missing: 'shared' is a cluster. Name a file to write, such as shared.jsonl"),
        (["record", "shared", "a.txt"], 2, "FILE: must end in .jsonl or .jsonl.gz"),
        (["record", "a.txt", "--json"], 2, "FILE: must end in .jsonl or .jsonl.gz"),
        (["record", "shared", "nowhere/a.jsonl"], 2, "FILE: directory nowhere does not exist."),
        (["record", "nobody", "a.jsonl"], 3, "Cluster 'nobody' not found"),
        (["record", "a.jsonl", "--seconds", "0"], 2, "--seconds: must be between 1 and 18000, not 0."),
        (["record", "a.jsonl", "--seconds", "soon"], 2, "--seconds: must be a whole number, not 'soon'."),
        (["record", "a.jsonl", "--title", ""], 2, "title: must not be empty."),
        (["record", "a.jsonl", "--stop"], 2, "Unknown option '--stop'."),
        (["share", "shared", "--hours", "-1"], 2, "--hours: must be at least 1 minute (0.0167), not -1"),
        (["share", "shared", "--hours", "0"], 2, "--hours: must be at least 1 minute (0.0167), not 0."),
        (["share", "shared", "--hours", "0.01"], 2, "--hours: must be at least 1 minute (0.0167), not 0.01."),
        (["share", "shared", "--hours", "25"], 2, "--hours: must be at most 24, not 25.0."),
        (["share", "shared", "--hours", "nan"], 2, "--hours: must be a finite number, not nan."),
        (["share", "shared", "--hours", "soon"], 2, "--hours: must be a number of hours, not 'soon'."),
        (["share", "shared", "--list", "--withdraw", "all"], 2, "--list, --withdraw and the options of a"),
        (
            ["share", "shared", "--list", "--tasks"],
            2,
            "--list, --withdraw and the options of a new link cannot be combined.",
        ),
        (["share", "shared", "--public"], 4, "This site does not allow public links."),
        (["share", "shared", "--withdraw", "00000000"], 3, "This cluster has no such link;"),
        (["share", "nobody"], 3, "Cluster 'nobody' not found."),
    ],
)
def test_refused_arguments(shared_site, shared_cluster, capsys, monkeypatch, tmp_path, words, code, sentence):
    before = picture(shared_site)
    monkeypatch.chdir(tmp_path)
    if "--json" in words:
        assert main(words) == code
        error = json.loads(capsys.readouterr().err)
        assert (error["code"], error["message"][: len(sentence)]) == ("invalid_request", sentence)
    else:
        got, message = refused(capsys, *words)
        assert (got, message[: len(sentence)]) == (code, sentence)
    assert picture(shared_site) == before
    assert list(tmp_path.iterdir()) == []


def test_refusal_in_a_separate_process(shared_site, shared_cluster, gpucluster):
    """With ``--json`` it is the model of the error."""
    before = picture(shared_site)
    done = gpucluster("scale", "shared", "-1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "n_workers: must be at least 0, not -1.\n"
    assert picture(shared_site) == before
    done = gpucluster("status", "nobody", "--json")
    assert (done.returncode, done.stdout) == (3, "")
    error = json.loads(done.stderr)
    assert error.keys() == {"code", "message", "fields"}
    assert error["code"] == "cluster_not_found"
    done = gpucluster("create", "--n-workers", "abc", "--json")
    assert done.returncode == 2
    error = json.loads(done.stderr)
    assert error["fields"][0]["field"] == "n_workers"


def test_failed_start_shows_the_reason(site, gpucluster):
    done = gpucluster("create", "--name", "x", "--backend", "local", "--local-directory", "/proc/nowhere")
    assert done.returncode == 5
    assert done.stderr.count("\n") == 1
    assert "/proc/nowhere" in done.stderr
    assert site.get("x").state.value == "failed"
    site.wait_for("x", lambda model: not site.processes())


def test_empty_list(site, capsys):
    assert main(["list"]) == 0
    assert capsys.readouterr().out == "No clusters. Start one with 'create'.\n"
    assert main(["status"]) == 3
    assert capsys.readouterr().err == "No cluster is running. Start one with 'create'.\n"


@pytest.mark.parametrize("words", [["create", "--backend", "local"], ["lessons", "list"]])
def test_removed_working_directory(shared_site, capsys, monkeypatch, tmp_path, words):
    (gone := tmp_path / "gone").mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    code, sentence = refused(capsys, *words)
    assert (code, sentence) == (1, "The current directory no longer exists. Change to another one first: cd.")
