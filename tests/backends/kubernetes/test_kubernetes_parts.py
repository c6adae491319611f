"""What a cluster asks of Kubernetes, held to the schemas of Dask's operator; and what is said of pods that wait."""

import base64
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest
import yaml
from gpucluster.backends.kubernetes.manifest import SECRETS, dask_cluster, manifest_text, secret
from gpucluster.backends.kubernetes.pods import PodSlot, Verdict, ended, verdict
from gpucluster.protocol.kinds import parse_spec

from tests.backends.kubernetes.apiserver import definitions

EVERYTHING = {
    "image": "registry.example:5000/rapids@sha256:" + "a" * 64, "gpus_per_worker": 1, "cores": 4,
    "threads_per_worker": 2, "memory_limit": "8 GiB", "node_selector": "disk=ssd,topology.kubernetes.io/zone=a",
    "tolerations": "dedicated=class:NoSchedule,spot", "service_account": "dask", "image_pull_secret": "registry",
    "gpu_resource": "nvidia.com/mig-1g.10gb", "env": {"TOKEN": "s3cret"}, "rmm_pool_size": "2 GiB",
    "enable_cudf_spill": True, "local_directory": "/scratch", "resources": "GPU=1", "preload": ["my.module"],
}  # fmt: skip


def manifest(**options: Any) -> dict[str, Any]:
    spec = parse_spec({"backend": "kubernetes", **options})
    return dask_cluster(spec, "ab12cd34", "class", 2)


def unknown(thing: Any, schema: dict[str, Any], path: str = "") -> list[str]:
    """Return the fields that the schema does not know; Kubernetes would drop them silently."""
    found = []
    if isinstance(thing, dict):
        properties = schema.get("properties")
        for name, value in thing.items():
            inner = (properties or {}).get(name) or schema.get("additionalProperties")
            if inner is None and properties is not None:
                found.append(f"{path}.{name}")
            elif isinstance(inner, dict):
                found += unknown(value, inner, f"{path}.{name}")
    elif isinstance(thing, list):
        for item in thing:
            found += unknown(item, schema.get("items", {}), path)
    return found


@pytest.mark.parametrize(
    "options", [{}, EVERYTHING, {"protocol": "tcp"}, EVERYTHING | {"protocol": "tcp", "env": None}]
)
def test_the_operator_knows_every_field(options):
    schema = definitions()["DaskCluster"]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    made = yaml.safe_load(manifest_text(manifest(**options)))
    validator = jsonschema.Draft7Validator(schema)
    validator.validate(made)
    assert not unknown(made["spec"], schema["properties"]["spec"])
    with pytest.raises(jsonschema.ValidationError, match="'two' is not of type 'integer'"):
        made["spec"]["worker"]["replicas"] = "two"
        validator.validate(made)


def test_only_workers_get_gpus_and_secrets_are_references():
    made = manifest(**EVERYTHING)
    scheduler, worker = (made["spec"][part]["spec"] for part in ("scheduler", "worker"))
    ((at_scheduler,), (at_worker,)) = scheduler["containers"], worker["containers"]
    gpu = {"nvidia.com/mig-1g.10gb": "1"}
    assert at_worker["resources"]["limits"] == {"cpu": "4", "memory": str(8 * 2**30)} | gpu
    assert not gpu.keys() & {*at_scheduler["resources"]["limits"], *at_scheduler["resources"]["requests"]}
    assert at_worker["args"][:3] == ["dask", "cuda", "worker"]
    assert "--nanny" not in at_worker["args"]
    pool = at_worker["args"].index("--rmm-pool-size")
    assert at_worker["args"][pool + 1 : pool + 4] == [str(2 * 2**30), "--rmm-track-allocations", "--enable-cudf-spill"]
    assert at_scheduler["args"][:2] == ["dask", "scheduler"]
    assert "tolerations" not in scheduler
    assert worker["tolerations"] == [
        {"key": "dedicated", "operator": "Equal", "value": "class", "effect": "NoSchedule"},
        {"key": "spot", "operator": "Exists"},
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
    ]
    assert worker["nodeSelector"] == scheduler["nodeSelector"] == {"disk": "ssd", "topology.kubernetes.io/zone": "a"}
    assert "s3cret" not in str(made)
    named = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "gpucluster-ab12cd34", "key": "env.TOKEN"}}}
    assert named in at_worker["env"]
    assert named in at_scheduler["env"]
    assert str(SECRETS / "key.pem") in at_worker["args"]


def test_the_secret_belongs_to_the_cluster(tmp_path):
    for name in ("ca.pem", "cert.pem", "key.pem"):
        (tmp_path / name).write_text(name)
    owner = {"apiVersion": "kubernetes.dask.org/v1", "kind": "DaskCluster", "metadata": {"name": "x", "uid": "u"}}
    spec = parse_spec({"backend": "kubernetes", "env": {"TOKEN": "s3cret"}})
    made = secret(
        spec, "ab12cd34", owner, tls_directory=tmp_path, dashboard_prefix="hidden", variables={"TOKEN": "s3cret"}
    )
    files = {name: name for name in ("ca.pem", "cert.pem", "key.pem")}
    decoded = {name: base64.b64decode(value).decode() for name, value in made["data"].items()}
    assert decoded == {**files, "dashboard-prefix": "hidden", "env.TOKEN": "s3cret"}
    (reference,) = made["metadata"]["ownerReferences"]
    assert (reference["kind"], reference["uid"]) == ("DaskCluster", "u")


def waiting(reason: str, message: str = "", **more: Any) -> dict[str, Any]:
    status = {"image": "i", "restartCount": 0, "state": {"waiting": {"reason": reason, "message": message}}, **more}
    return {"phase": "Pending", "containerStatuses": [status]}


def event(reason: str, message: str, kind: str = "Warning") -> dict[str, Any]:
    return {"type": kind, "reason": reason, "message": message, "lastTimestamp": "2026-11-23T10:00:05Z"}


def unschedulable(message: str) -> dict[str, Any]:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"phase": "Pending", "conditions": [condition]}


# As Kubernetes 1.20 and 1.33 write them.
NO_GPU = "0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 Insuf"
NO_GPU += "ficient nvidia.com/gpu. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
OOM = {"terminated": {"reason": "OOMKilled", "exitCode": 137}}


@pytest.mark.parametrize(
    ("status", "events", "expected"),
    [
        (unschedulable(NO_GPU), [], Verdict(NO_GPU.partition(". preemption")[0])),
        (
            unschedulable("0/1 nodes are available: 1 Insufficient cpu."),
            [event("TriggeredScaleUp", "pod triggered scale-up", "Normal")],
            Verdict("0/1 nodes are available: 1 Insufficient cpu, a node is being added"),
        ),
        (waiting("ErrImagePull"), [], Verdict("its image 'i' could not be pulled; retrying")),
        (
            waiting("ImagePullBackOff", 'Back-off pulling image "i"'),
            [event("Failed", "Failed to pull image: 401 Unauthorized")],
            Verdict("its image 'i' cannot be pulled: Failed to pull image: 401 Unauthorized", hopeless=True),
        ),
        (waiting("CrashLoopBackOff", restartCount=1, lastState=OOM), [], Verdict(
            "it keeps crashing: it used more memory than its limit")),
        (waiting("CrashLoopBackOff", restartCount=3, lastState=OOM), [], Verdict(
            "it keeps crashing: it used more memory than its limit", hopeless=True)),
        (
            waiting("CreateContainerConfigError", 'secret "gpucluster-1" not found'),
            [],
            Verdict('its container cannot be created: secret "gpucluster-1" not found'),
        ),
        (
            waiting("ContainerCreating"),
            [event("FailedMount", 'MountVolume.SetUp failed for volume "credentials"')],
            Verdict('MountVolume.SetUp failed for volume "credentials"'),
        ),
        (waiting("ContainerCreating"), [event("Pulling", "Pulling image", "Normal")], Verdict("its image is being "
                                                                                              "pulled")),
        ({"phase": "Pending"}, [], Verdict("is being created on node1")),
        ({"phase": "Running"}, [], Verdict("its pod is running and its worker is starting")),
        (
            {"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory. "},
            [],
            Verdict("its pod failed: Evicted: The node was low on resource: memory", hopeless=True),
        ),
    ],
)  # fmt: skip
def test_reason_of_a_pending_pod(status, events, expected):
    pod = {
        "metadata": {"name": "w-1", "creationTimestamp": "2026-11-23T10:00:00Z"},
        "spec": {} if "conditions" in status else {"nodeName": "node1"},
        "status": status,
    }
    deployment = {"metadata": {"name": "w"}}
    assert verdict(deployment, pod, events, now=datetime(2026, 11, 23, 10, 0, 9, tzinfo=UTC)) == expected


def test_reason_of_a_missing_pod():
    def failing(message: str) -> dict[str, Any]:
        condition = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}
        return {"metadata": {"name": "w"}, "status": {"conditions": [condition]}}

    quota = 'pods "w-5d" is forbidden: exceeded quota: q, requested: pods=1, used: pods=4, limited: pods=4'
    found = verdict(failing(quota), None, [])
    assert found.why == "the namespace's quota is used up: q, requested: pods=1, used: pods=4, limited: pods=4"
    assert (found.hopeless, found.refused) == (False, True)
    forbidden = 'pods "w-5d" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true'
    assert verdict(failing(forbidden), None, []) == Verdict(f"Kubernetes does not create its pod: {forbidden}", True)
    assert verdict({"metadata": {"name": "w"}}, None, []) == Verdict("its pod is being created")


def test_how_a_container_has_ended():
    failed = {"terminated": {"reason": "Error", "exitCode": 1, "message": "Traceback\nImportError: no dask\n"}}
    assert ended({"lastState": failed}) == "exit status 1: ImportError: no dask"
    assert ended({"lastState": {}, "state": OOM}) == "it used more memory than its limit"
    assert ended({"state": {"running": {}}}) is None


def test_a_running_worker_is_on_the_node_of_its_pod():
    slot = PodSlot("w")
    slot.saw({"metadata": {"uid": "1"}, "spec": {"nodeName": "node1\x1b[2J"}}, Verdict("its pod runs"))
    slot.update(())
    assert slot.model().node is None, "its worker is not connected yet"
    slot.update({"w"})
    node = slot.model().node
    assert node is not None and node.startswith("node1") and "\x1b" not in node
