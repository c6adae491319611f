"""What a Kubernetes cannot do is refused in a sentence before anything is made there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

PREVIEWS = """
import asyncio, json, sys
from gpucluster.protocol.errors import GPUClusterError
from gpucluster.supervisor.preview import preview
async def main():
    for line in sys.stdin:
        try:
            print((await preview(line)).model_dump_json(), flush=True)
        except GPUClusterError as error:
            print(json.dumps({"refused": error.message}), flush=True)
asyncio.run(main())
"""


class Previews:
    """Asks, in one process, what would be made."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", PREVIEWS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, **options: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"backend": "kubernetes", **options}) + "\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))

    def refusal(self, **options: Any) -> str:
        said = str(self.ask(**options)["refused"])
        assert said[-1] in ".?r", said
        return said

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def previews() -> Any:
    found = Previews()
    yield found
    found.close()


@pytest.mark.full
def test_what_would_be_made_is_shown_and_nothing_is_made(kubernetes: Any, previews: Previews) -> None:
    shown = previews.ask(kubeconfig=kubernetes.kubeconfig, n_workers=3)
    made = yaml.safe_load(shown["text"])
    assert made["spec"]["worker"]["replicas"] == 3
    assert made["metadata"]["namespace"] == "class", "that of the context"
    assert shown["notes"] == [f"Kubernetes ({kubernetes.server}) would take it; nothing was made."]
    assert not kubernetes.names("gpucluster-id")
    other = previews.ask(kubeconfig=kubernetes.kubeconfig, context="elsewhere")
    assert yaml.safe_load(other["text"])["metadata"]["namespace"] == "default", "that of the context that was asked for"


def test_no_way_to_kubernetes(kubernetes: Any, previews: Previews, tmp_path: Path) -> None:
    there = {"kubeconfig": kubernetes.kubeconfig}
    assert "There is no kubeconfig at " in previews.refusal(kubeconfig=str(tmp_path / "none"))
    assert "has no context 'other'" in previews.refusal(context="other", **there)
    assert "the log-in in the kubeconfig has expired" in previews.refusal(context="unknown", **there)
    assert "this Kubernetes has no namespace 'nowhere'" in previews.refusal(namespace="nowhere", **there)
    gone = tmp_path / "gone"
    gone.write_text(Path(kubernetes.kubeconfig).read_text().replace(kubernetes.server, "http://127.0.0.1:9"))
    assert "Kubernetes (http://127.0.0.1:9) cannot be reached" in previews.refusal(kubeconfig=str(gone))
    for number, (text, fault) in enumerate(
        {
            "users: {": "The kubeconfig {} is not YAML.",
            "kind: Config": "The file {} is no kubeconfig: it has none of clusters, contexts, users.",
            "": "The kubeconfig {} is empty.",
            "[]": "The file {} is no kubeconfig: it has no keys.",
            "contexts: [1]": "The file {} is no kubeconfig: 'contexts' in it must be a list of entries with a name.",
        }.items()
    ):
        broken = tmp_path / str(number)
        broken.write_text(text)
        assert previews.refusal(kubeconfig=str(broken)).startswith(fault.format(broken))


def test_no_operator(without_operator: Any, previews: Previews) -> None:
    said = previews.refusal(kubeconfig=without_operator.kubeconfig)
    assert said.startswith("Dask's operator is not installed in this Kubernetes. An administrator can: helm install")


def test_rights_that_are_missing_are_named(kubernetes: Any, previews: Previews) -> None:
    options = {"kubeconfig": kubernetes.kubeconfig, "context": "student"}
    kubernetes.change(denied=["secrets", "pods/portforward", "daskworkergroups"])
    try:
        said = previews.refusal(**options)
        assert "does not let you do what a cluster needs in the namespace 'class': get daskworkergroups." in said
        assert "patch daskworkergroups.kubernetes.dask.org, create secrets, delete secrets, get pods/portfor" in said
        kubernetes.change(denied=["secrets"])
        shown = previews.ask(protocol="tcp", **options)
        assert "secret" not in shown["text"], "nothing is kept from others"
    finally:
        kubernetes.change(denied=[])
