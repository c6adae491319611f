"""Clusters of pods: Dask's real operator, real schedulers and workers; the API server and the node are simulated."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import gpucluster
import psutil
import pytest
import yaml
from gpucluster.protocol.errors import StartFailed
from gpucluster.protocol.models import ClusterState, Network
from gpucluster.protocol.verbs import Verb
from gpucluster.registry.started_elsewhere import read_remembered

from tests.backends.seen import messages, names, results_stay, same_centres, stopped, with_workers

SECRET = "v3ry-s3cret"
PASSWORD = eval("lambda: __import__('os').environ['PASSWORD']", {})


def pods(**other: Any) -> dict[str, Any]:
    return {"backend": "kubernetes", "memory_limit": "600MB", **other}


@pytest.fixture(scope="module")
def made(shared_site, kubernetes):
    """A cluster with two workers; its model just after it was made."""
    options = pods(kubeconfig=kubernetes.kubeconfig, name="pods", n_workers=2, env={"PASSWORD": SECRET})
    try:
        return shared_site.running(**options)
    except StartFailed as error:
        raise AssertionError(f"{error.message}\n{kubernetes.logs()}") from error


@pytest.fixture
def two(shared_site, made):
    """That cluster with two workers."""
    return with_workers(shared_site, "pods", 2)


def living_pods(kubernetes: Any, of: str) -> set[str]:
    found = kubernetes.things("pods", of=of)
    return {pod["metadata"]["uid"] for pod in found if "deletionTimestamp" not in pod["metadata"]}


def test_operator_makes_the_cluster_and_its_manifest_has_no_secret(kubernetes, shared_site, made, wait_until):
    assert (made.state, made.backend_title, made.network, made.has_gpus) == ("running", "Kubernetes", "tls", False)
    assert (made.n_workers + made.n_pending, set(made.can)) == (2, set(Verb))
    folder = shared_site.registry.folder(made.id)
    assert read_remembered(folder).state["name"] == f"gpucluster-{made.id}"
    model = shared_site.wait_for("pods", lambda model: model.n_workers == 2)
    assert all(name.startswith(f"gpucluster-{made.id}-default-worker-") for name in names(model))
    shown = folder.submitted.read_text()
    key = (folder.tls / "key.pem").read_text().splitlines()[1]
    prefix = shared_site.registry.dashboard(made.id).prefix
    for text in (shown, str(kubernetes.things("daskclusters", "deployments", "pods", of=made.id))):
        assert not [secret for secret in (SECRET, key, prefix) if secret in text]
    with gpucluster.connect("pods").get_client() as client:
        assert set(client.run(PASSWORD).values()) == {SECRET}
    wait_until(lambda: shared_site.control.telemetry(made.id).workers == [worker.name for worker in model.workers])


def test_dashboard_is_forwarded_below_a_secret_path(shared_site, two):
    pages = shared_site.registry.dashboard(two.id)
    with urllib.request.urlopen(pages.url, timeout=20) as page:
        assert b"Dask" in page.read()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(pages.url.replace(pages.prefix + "/", ""), timeout=20)


def test_kmeans_finds_what_scikit_learn_finds(two):
    same_centres(two)


@pytest.mark.full
def test_retire_and_scale_down_move_results(kubernetes, shared_site, two, wait_until):
    model = results_stay(shared_site, two)
    (group,) = kubernetes.things("daskworkergroups", of=two.id)
    assert group["spec"]["worker"]["replicas"] == 1
    # The operator removes the deployment a moment after the worker has left, and chooses none itself.
    wait_until(lambda: len(kubernetes.things("deployments", of=f"{two.id}-default")) == 1)
    left = [thing["metadata"]["name"] for thing in kubernetes.things("deployments", of=f"{two.id}-default")]
    assert left == [*names(model)]


@pytest.mark.full
def test_a_restart_keeps_the_pods(kubernetes, two):
    before = living_pods(kubernetes, two.id)
    pids = {worker.pid for worker in two.model.workers}
    two.restart()
    assert {worker.pid for worker in two.model.workers}.isdisjoint(pids)
    assert living_pods(kubernetes, two.id) == before


@pytest.mark.full
def test_lost_pods_are_reported_and_replaced(kubernetes, shared_site, two, wait_until):
    deleted, killed = sorted(names(two.model))
    (pod,) = kubernetes.things("pods", of=deleted)
    kubernetes.delete_pod(pod["metadata"]["name"])
    (other,) = [worker for worker in two.model.workers if worker.name == killed]
    psutil.Process(other.pid).parent().kill()  # The first process of a container, as when memory runs out.
    wait_until(lambda: f"Worker {deleted}: its pod on node1 is gone" in messages(two), what=lambda: messages(two))
    wait_until(lambda: "it used more memory than its limit" in messages(two), what=lambda: messages(two))
    model = shared_site.wait_for("pods", lambda model: (model.n_workers, model.n_pending) == (2, 0))
    assert names(model) == {deleted, killed}
    with two.get_client() as client:
        assert client.submit(sum, [1, 2]).result(timeout=60) == 3


@pytest.mark.full
def test_deleted_deployment_is_replaced(kubernetes, shared_site, two):
    gone = sorted(names(two.model))[0]
    kubernetes.ask(f"/apis/apps/v1/namespaces/class/deployments/{gone}", "DELETE")
    shared_site.wait_for("pods", lambda model: model.n_workers == 2 and gone not in names(model))


@pytest.mark.full
def test_adaptive_scaling_follows_the_load(kubernetes, shared_site, two, wait_until):
    shared_site.control.patch("pods", {"adapt": {"minimum": 0, "maximum": 3, "interval_seconds": 0.3, "wait_count": 3}})
    with two.get_client() as client:
        futures = client.map(lambda _: time.sleep(1), range(90), pure=False)
        shared_site.wait_for("pods", lambda model: model.n_workers == 3)
        client.cancel(futures)
        del futures
    wait_until(lambda: not kubernetes.things("pods", of=f"{two.id}-default"), what=lambda: messages(two))


@pytest.mark.full
def test_pending_pods_have_a_reason(kubernetes, shared_site, made, wait_until):
    # A scheduler and one worker, so that the second worker is one pod too many.
    shared_site.control.patch("pods", {"n_workers": 1})
    shared_site.wait_for("pods", lambda model: model.n_workers == 1 and len(model.workers) == 1)
    kubernetes.change(most_pods=2)
    try:
        shared_site.control.patch("pods", {"n_workers": 2})
        model = shared_site.wait_for("pods", lambda model: "quota" in (model.pending_reason or ""))
        assert "the namespace's quota is used up: class, requested: pods=1, used: pods=2" in model.pending_reason
        assert model.state is ClusterState.RUNNING
    finally:
        kubernetes.change(most_pods=None)
    shared_site.wait_for("pods", lambda model: model.n_workers == 2)


def test_stop_leaves_nothing(kubernetes, shared_site, made, wait_until):
    assert kubernetes.names(made.id)
    stopped(shared_site, made.id)
    assert not kubernetes.things("pods", of=made.id)
    wait_until(lambda: not kubernetes.names(made.id), what=lambda: kubernetes.names(made.id))
    assert not shared_site.registry.folder(made.id).remembered.exists()
    assert "DaskCluster" in shared_site.registry.folder(made.id).submitted.read_text(), "can be read afterwards"


@pytest.mark.full
def test_stop_without_an_operator_shows_the_commands_to_clean_up(kubernetes, shared_site, wait_until):
    model = shared_site.running(**pods(kubeconfig=kubernetes.kubeconfig, n_workers=0))
    with kubernetes.operator_stopped():
        ended = shared_site.control.stop(model.id)
        assert (
            f"Dask's operator has not removed the DaskCluster gpucluster-{model.id}: is the operator running?"
            in ended.reason
        )
        assert not kubernetes.things("pods", of=model.id)
        commands = ended.reason.partition("By hand: ")[2].split(" && ")
        for command in commands:
            done = subprocess.run(shlex.split(command), capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stderr
        wait_until(lambda: not kubernetes.things("daskclusters", of=model.id), what=lambda: kubernetes.names(model.id))
    folder = shared_site.registry.folder(model.id)
    wait_until(lambda: shared_site.control.list() and not folder.remembered.exists(), what=folder.log.read_text)


@pytest.mark.full
def test_missing_gpus_are_pending_and_a_dead_supervisor_is_cleaned_up(kubernetes, shared_site, wait_until):
    kubernetes.change(gpus=0)
    try:
        options = pods(kubeconfig=kubernetes.kubeconfig, n_workers=2, gpus_per_worker=1, image="with-dask-cuda")
        model = shared_site.running(**options, protocol="tcp")
        model = shared_site.wait_for(model.id, lambda model: "Insufficient" in (model.pending_reason or ""))
        assert model.pending_reason == "0/1 nodes are available: 1 Insufficient nvidia.com/gpu"
        assert (model.state, model.n_pending, model.has_gpus) == (ClusterState.RUNNING, 2, True)
        assert model.network is Network.OPEN
        assert "does not use TLS" in model.notes[0]
    finally:
        kubernetes.change(gpus=2)
    os.kill(model.pid, signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(model.pid))
    assert kubernetes.names(model.id)
    shared_site.control.list()
    wait_until(lambda: not kubernetes.names(model.id), what=lambda: kubernetes.names(model.id))
    folder = shared_site.registry.folder(model.id)
    wait_until(lambda: not folder.remembered.exists(), what=folder.log.read_text)
    assert any("and deleted" in one.message for one in shared_site.control.activity(model.id).entries)


@pytest.mark.full
def test_image_that_cannot_be_pulled_fails_the_start(kubernetes, shared_site, wait_until):
    model = shared_site.create(**pods(kubeconfig=kubernetes.kubeconfig, image="absent"))
    with pytest.raises(StartFailed, match="its image 'absent' cannot be pulled: Failed to pull image .*: not found"):
        shared_site.control.wait(model.id)
    wait_until(lambda: not kubernetes.names(model.id), what=lambda: kubernetes.names(model.id))


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
    """Requests previews in one process."""

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
        message = str(self.ask(**options)["refused"])
        assert message[-1] in ".?r", message
        return message

    def close(self) -> None:
        self._process.communicate()


@pytest.fixture(scope="module")
def previews():
    found = Previews()
    yield found
    found.close()


@pytest.mark.full
def test_preview_shows_the_manifest_and_makes_nothing(kubernetes, previews):
    shown = previews.ask(kubeconfig=kubernetes.kubeconfig, n_workers=3)
    made = yaml.safe_load(shown["text"])
    assert made["spec"]["worker"]["replicas"] == 3
    assert made["metadata"]["namespace"] == "class", "that of the context"
    assert shown["notes"] == [f"Kubernetes ({kubernetes.server}) would accept it; nothing was created."]
    assert not kubernetes.names("gpucluster-id")
    other = previews.ask(kubeconfig=kubernetes.kubeconfig, context="elsewhere")
    assert yaml.safe_load(other["text"])["metadata"]["namespace"] == "default", "that of the context that was asked for"


def test_unreachable_kubernetes_is_refused(kubernetes, previews, tmp_path):
    there = {"kubeconfig": kubernetes.kubeconfig}
    assert "There is no kubeconfig at " in previews.refusal(kubeconfig=str(tmp_path / "none"))
    assert "has no context 'other'" in previews.refusal(context="other", **there)
    assert "the login in the kubeconfig has expired" in previews.refusal(context="unknown", **there)
    assert "this Kubernetes cluster has no namespace 'nowhere'" in previews.refusal(namespace="nowhere", **there)
    gone = tmp_path / "gone"
    gone.write_text(Path(kubernetes.kubeconfig).read_text().replace(kubernetes.server, "http://127.0.0.1:9"))
    assert "Kubernetes (http://127.0.0.1:9) cannot be reached" in previews.refusal(kubeconfig=str(gone))
    for number, (text, fault) in enumerate(
        {
            "users: {": "The kubeconfig {} is not YAML.",
            "kind: Config": "The file {} is not a kubeconfig: it has none of clusters, contexts, users.",
            "": "The kubeconfig {} is empty.",
            "[]": "The file {} is not a kubeconfig: it has no keys.",
            "contexts: [1]": "The file {} is not a kubeconfig: 'contexts' must be a list of entries with a name.",
        }.items()
    ):
        broken = tmp_path / str(number)
        broken.write_text(text)
        assert previews.refusal(kubeconfig=str(broken)).startswith(fault.format(broken))


def test_no_operator(without_operator, previews):
    message = previews.refusal(kubeconfig=without_operator.kubeconfig)
    assert message.startswith(
        "Dask's operator is not installed in this Kubernetes cluster. Ask an administrator to run: helm install"
    )


def test_missing_rights_are_named(kubernetes, previews):
    options = {"kubeconfig": kubernetes.kubeconfig, "context": "student"}
    kubernetes.change(denied=["secrets", "pods/portforward", "daskworkergroups"])
    try:
        message = previews.refusal(**options)
        assert (
            "You lack Kubernetes permissions for a cluster in the namespace 'class': get daskworkergroups." in message
        )
        assert "patch daskworkergroups.kubernetes.dask.org, create secrets, delete secrets, get pods/portfor" in message
        kubernetes.change(denied=["secrets"])
        shown = previews.ask(protocol="tcp", **options)
        assert "secret" not in shown["text"], "nothing is kept from others"
    finally:
        kubernetes.change(denied=[])
