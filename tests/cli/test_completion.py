"""Completion in shells and notebooks."""

import os
import shutil
import subprocess
import sys

import pytest
from gpucluster.cli.commands import MAGIC, SHELL
from gpucluster.cli.completion import candidates
from gpucluster.cli.shell import completion_script
from gpucluster.protocol.errors import InvalidRequest

from tests.backends.packages import NotInstalled, installed


def names(which: str) -> list[str]:
    clusters = {"living": ["alpha", "beta"], "ended": ["gone"], "any": ["alpha", "beta", "gone"]}
    return {**clusters, "workers": ["0", "1"]}[which]


KINDS = ["auto", "cuda", "local", "slurm", "ssh", "mpi", "kubernetes", "gateway", "existing"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["cr"], ["create"]),
        (["re"], ["restart", "retire", "record", "replay", "remove"]),
        (["retire", ""], ["alpha", "beta", "0", "1"]),
        (["retire", "alpha", ""], ["0", "1"]),
        (["retire", "alpha", "1", ""], []),
        (["activity", ""], ["alpha", "beta", "gone"]),
        (["create", "--n-"], ["--n-workers"]),
        (["create", "--n-workers", "2", "--n-w"], []),
        (["create", "--backend", ""], KINDS),
        (["create", "--backend", "lo"], ["local"]),
        (["create", "--backend=lo"], ["--backend=local"]),
        (["create", "--backend", "=", "lo"], ["local"]),
        (["create", "--backend", "="], KINDS),
        (["create", "--protocol", "t"], ["tls", "tcp"]),
        (["create", "--preset", "gpu-"], ["gpu-ml", "gpu-etl"]),
        (["create", "--rmm-allocator-external-lib-list", "cupy,t"], ["cupy,torch"]),
        (["create", "--no-rmm-a"], ["--no-rmm-async"]),
        (["create", "--name", ""], []),
        (["create", ""], []),
        (["scale", ""], ["alpha", "beta"]),
        (["scale", "a"], ["alpha"]),
        (["scale", "--no-wait", "a"], ["alpha"]),
        (["scale", "--timeout", "9", "a"], ["alpha"]),
        (["scale", "alpha", ""], []),
        (["stop", "alpha", ""], ["beta"]),
        (["remove", ""], ["gone"]),
        (["logs", "g"], ["gone"]),
        (["help", "sca"], ["scale"]),
        (["completion", "z"], ["zsh"]),
        (["replay", "kmeans"], ["kmeans-cpu", "kmeans-h100"]),
        (["nonsense", ""], []),
    ],
)
def test_candidates(words, expected):
    assert candidates(words, SHELL, names) == expected


def test_magic_completes_its_verbs_and_options():
    assert candidates(["l"], MAGIC, names) == ["lease", "list", "logs"]
    assert candidates(["l"], SHELL, names) == ["lease", "list", "logs", "lab", "lessons"]
    assert candidates(["create", "--conn"], MAGIC, names) == ["--connect"]
    assert candidates(["create", "--conn"], SHELL, names) == []
    assert candidates(["replay", "kmeans"], MAGIC) == ["kmeans-cpu", "kmeans-h100"]
    assert candidates(["replay", "kmeans-cpu", ""], MAGIC) == []


def test_unsupported_shell_is_refused():
    with pytest.raises(InvalidRequest, match="No completion for 'tcsh'"):
        completion_script("tcsh")


@pytest.fixture
def path_with_gpucluster(shared_site, tmp_path) -> dict[str, str]:
    """An environment in which ``gpucluster`` is this Python's."""
    script = tmp_path / "gpucluster"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gpucluster "$@"\n')
    script.chmod(0o755)
    return {
        "PATH": f"{tmp_path}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(tmp_path),
        "GPUCLUSTER_DIR": os.environ["GPUCLUSTER_DIR"],
    }


def in_shell(shell: str, program: str, environment: dict[str, str]) -> list[str]:
    try:
        installed([shell], lambda: shutil.which(shell))
    except NotInstalled as reason:
        pytest.skip(f"needs {shell}: {reason}")
    done = subprocess.run([shell, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.split()


PROGRAMS = {
    "bash": """
        source <(gpucluster completion bash)
        complete -p gpucluster >/dev/null
        try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _gpucluster gpucluster; echo "${COMPREPLY[@]}"; }
        try gpucluster scale sha
        try gpucluster create --backend = loc
        try gpucluster rest
    """,
    "zsh": """
        autoload -Uz compinit && compinit -u
        source <(gpucluster completion zsh)
        [[ ${_comps[gpucluster]} == _gpucluster ]] || exit 1
        compadd() { shift; print -l -- "$@" }
        words=(gpucluster scale sha); CURRENT=3; _gpucluster
        words=(gpucluster create --backend loc); CURRENT=4; _gpucluster
    """,
    "fish": """
        gpucluster completion fish | source
        complete -C 'gpucluster scale sha'
        complete -C 'gpucluster create --backend loc'
    """,
}


@pytest.mark.parametrize("shell", PROGRAMS)
@pytest.mark.full
def test_shells_complete_names_and_values(shared_cluster, path_with_gpucluster, shell):
    also = ["restart"] if shell == "bash" else []
    assert in_shell(shell, PROGRAMS[shell], path_with_gpucluster) == ["shared", "local", *also]
