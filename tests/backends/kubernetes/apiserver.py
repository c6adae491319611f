"""A simulated API server of Kubernetes: a store with the part of the API that a Dask cluster and its operator use.

Custom resources are validated with the operator's own schemas; errors have the messages of the real server. Pods are
simulated by ``kubelet.py``.
"""

from __future__ import annotations

import asyncio
import importlib.resources
import json
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from functools import cache
from typing import Any

import jsonpatch
import jsonschema
import yaml
from tornado.iostream import StreamClosedError
from tornado.web import Application, RequestHandler
from tornado.websocket import WebSocketHandler

Thing = dict[str, Any]
BUILT_IN = {
    "v1": {"pods": "Pod", "services": "Service", "secrets": "Secret", "events": "Event", "namespaces": "Namespace"},
    "apps/v1": {"deployments": "Deployment"},
    "authorization.k8s.io/v1": {"selfsubjectaccessreviews": "SelfSubjectAccessReview"},
    "apiextensions.k8s.io/v1": {"customresourcedefinitions": "CustomResourceDefinition"},
}
CLUSTER_WIDE = {"namespaces", "selfsubjectaccessreviews", "customresourcedefinitions"}
CRDS = "operator/deployment/helm/dask-kubernetes-operator/crds"


@cache
def definitions() -> dict[str, Thing]:
    """Return the operator's definitions of its resources, by kind."""
    found = {}
    for file in (importlib.resources.files("dask_kubernetes") / CRDS).iterdir():
        # They are long: Python's own reader takes seconds.
        definition = yaml.load(file.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
        found[definition["spec"]["names"]["kind"]] = definition
    return found


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Refusal(Exception):
    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status, self.reason = status, reason


class Store:
    """All objects, and the watches on them."""

    def __init__(self, *, operator: bool = True) -> None:
        self.things: dict[tuple[str, str, str], Thing] = {}
        self.history: list[tuple[int, str, str, Thing]] = []
        self.changed = asyncio.Event()
        self.denied: set[str] = set()
        """Resources to which the user 'student' has no access."""
        self.schemas: dict[str, Any] = {}
        self.kinds = {version: dict(found) for version, found in BUILT_IN.items()}
        if operator:
            for kind, definition in definitions().items():
                names, version = definition["spec"]["names"], definition["spec"]["versions"][0]
                self.kinds.setdefault("kubernetes.dask.org/v1", {})[names["plural"]] = kind
                self.schemas[names["plural"]] = jsonschema.Draft7Validator(version["schema"]["openAPIV3Schema"])

    def list(self, plural: str, namespace: str | None = None, labels: str = "", fields: str = "") -> list[Thing]:
        wanted = dict(part.split("=", 1) for part in labels.replace("==", "=").split(",") if part)
        where = [part.split("=", 1) for part in fields.split(",") if part]
        found = []
        for (kind, space, _), thing in self.things.items():
            given = thing["metadata"].get("labels") or {}
            if kind != plural or namespace not in {None, space} or not wanted.items() <= given.items():
                continue
            if all(str(_at(thing, path)) == value for path, value in where):
                found.append(thing)
        return found

    def get(self, plural: str, namespace: str, name: str) -> Thing:
        try:
            return self.things[plural, namespace, name]
        except KeyError:
            raise Refusal(404, "NotFound", f'{plural} "{name}" not found') from None

    def create(self, version: str, plural: str, namespace: str, thing: Thing, *, dry: bool = False) -> Thing:
        self.check(plural, thing)
        metadata = thing["metadata"]
        name = metadata.get("name") or metadata["generateName"] + uuid.uuid4().hex[:5]
        if (plural, namespace, name) in self.things:
            raise Refusal(409, "AlreadyExists", f'{plural} "{name}" already exists')
        if namespace and ("namespaces", "", namespace) not in self.things:
            raise Refusal(404, "NotFound", f'namespaces "{namespace}" not found')
        thing |= {"apiVersion": version, "kind": self.kinds[version][plural]}
        metadata |= {"name": name, "uid": str(uuid.uuid4()), "creationTimestamp": now(), "generation": 1}
        if namespace:
            metadata["namespace"] = namespace
        if not dry:
            self._put(plural, namespace, name, thing, "ADDED")
        return thing

    def check(self, plural: str, thing: Thing) -> None:
        if plural in self.schemas:
            try:
                self.schemas[plural].validate(thing)
            except jsonschema.ValidationError as error:
                where = ".".join(str(part) for part in error.absolute_path)
                raise Refusal(422, "Invalid", f"DaskCluster is invalid: {where}: {error.message}") from None

    def patch(self, plural: str, namespace: str, name: str, change: Thing) -> Thing:
        return self._replace(plural, namespace, name, _merged(self.get(plural, namespace, name), change))

    def apply(self, plural: str, namespace: str, name: str, operations: list[Thing]) -> Thing:
        """Apply a JSON patch, as the operator's framework sends for finalizers."""
        try:
            thing = jsonpatch.apply_patch(self.get(plural, namespace, name), operations)
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
            raise Refusal(422, "Invalid", str(error)) from None
        return self._replace(plural, namespace, name, thing)

    def _replace(self, plural: str, namespace: str, name: str, thing: Thing) -> Thing:
        before = self.get(plural, namespace, name)
        if thing == before:
            return before
        self.check(plural, thing)
        if "deletionTimestamp" in thing["metadata"] and not thing["metadata"].get("finalizers"):
            self._remove(plural, namespace, name)
            return thing
        self._put(plural, namespace, name, thing, "MODIFIED")
        return thing

    def delete(self, plural: str, namespace: str, name: str, grace: bool = False) -> Thing:
        thing = self.get(plural, namespace, name)
        if "deletionTimestamp" in thing["metadata"]:
            return thing
        if thing["metadata"].get("finalizers") or grace:
            marked = _merged(thing, {"metadata": {"deletionTimestamp": now()}})
            self._put(plural, namespace, name, marked, "MODIFIED")
        else:
            self._remove(plural, namespace, name)
        return thing

    def forget(self, plural: str, namespace: str, name: str) -> None:
        """Remove an object, as the kubelet does with a pod that has ended."""
        if (plural, namespace, name) in self.things:
            self._remove(plural, namespace, name)

    def _put(self, plural: str, namespace: str, name: str, thing: Thing, event: str) -> None:
        thing["metadata"]["resourceVersion"] = str(len(self.history) + 1)
        self.things[plural, namespace, name] = thing
        self._tell(plural, event, thing)

    def _remove(self, plural: str, namespace: str, name: str) -> None:
        thing = self.things.pop((plural, namespace, name))
        self._tell(plural, "DELETED", thing)

    def collect_garbage(self) -> None:
        """Delete the dependents of deleted objects."""
        living = {thing["metadata"]["uid"] for thing in self.things.values()}
        for (plural, namespace, name), thing in list(self.things.items()):
            owners = [owner["uid"] for owner in thing["metadata"].get("ownerReferences") or ()]
            if owners and not living.intersection(owners):
                self.delete(plural, namespace, name, grace=plural == "pods")

    def _tell(self, plural: str, event: str, thing: Thing) -> None:
        self.history.append((len(self.history) + 1, plural, event, json.loads(json.dumps(thing))))
        self.changed.set()
        self.changed = asyncio.Event()

    async def watch(self, plural: str, since: int) -> AsyncIterator[tuple[str, Thing]]:
        position = since
        while True:
            changed = self.changed
            for _, kind, event, thing in self.history[position:]:
                position += 1
                if kind == plural:
                    yield event, thing
            await changed.wait()

    def event(self, thing: Thing, kind: str, reason: str, message: str) -> None:
        """Write an event about a thing."""
        metadata = thing["metadata"]
        about = {"kind": thing["kind"], "name": metadata["name"], "namespace": metadata.get("namespace", "")}
        event = {"metadata": {"name": f"{metadata['name']}.{uuid.uuid4().hex[:12]}"}, "involvedObject": about}
        event |= {"type": kind, "reason": reason, "message": message, "lastTimestamp": datetime.now(UTC).isoformat()}
        self.create("v1", "events", metadata["namespace"], event)


def _at(thing: Thing, path: str) -> Any:
    found: Any = thing
    for part in path.split("."):
        found = found.get(part, "") if isinstance(found, dict) else ""
    return found


def _merged(before: Any, change: Any) -> Any:
    """Apply a JSON merge patch (RFC 7386)."""
    if not isinstance(change, dict):
        return change
    found = dict(before) if isinstance(before, dict) else {}
    for name, value in change.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = _merged(found.get(name), value)
    return found


class Handler(RequestHandler):
    store: Store

    def initialize(self, store: Store) -> None:
        self.store = store

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        error = kwargs["exc_info"][1]
        reason = error.reason if isinstance(error, Refusal) else "InternalError"
        code = error.status if isinstance(error, Refusal) else 500
        self.set_status(code)
        self.finish({"kind": "Status", "status": "Failure", "message": str(error), "reason": reason, "code": code})

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        if not isinstance(value, Refusal):
            super().log_exception(typ, value, tb)

    @property
    def user(self) -> str:
        return self.request.headers.get("Authorization", "").removeprefix("Bearer ") or "admin"


class Discovery(Handler):
    def get(self, path: str) -> None:
        kinds = self.store.kinds
        if path == "version":
            self.finish({"major": "1", "minor": "33", "gitVersion": "v1.33.2"})
        elif path == "api":
            self.finish({"kind": "APIVersions", "versions": ["v1"]})
        elif path == "apis":
            groups = []
            for version in kinds:
                group, _, number = version.partition("/")
                if number:
                    one = {"groupVersion": version, "version": number}
                    groups.append({"name": group, "versions": [one], "preferredVersion": one})
            self.finish({"kind": "APIGroupList", "groups": groups})
        else:
            version = path.removeprefix("apis/").removeprefix("api/")
            if version not in kinds:
                raise Refusal(404, "NotFound", "the server could not find the requested resource")
            same = {"verbs": ["create", "delete", "get", "list", "patch", "watch"]}
            resources = [
                {"name": plural, "singularName": kind.lower(), "kind": kind, "namespaced": plural not in CLUSTER_WIDE}
                | same
                for plural, kind in kinds[version].items()
            ]
            self.finish({"kind": "APIResourceList", "groupVersion": version, "resources": resources})


class Resources(Handler):
    async def prepare(self) -> None:
        if self.user == "unknown":
            raise Refusal(401, "Unauthorized", "Unauthorized")

    def _allow(self, version: str, plural: str, namespace: str) -> None:
        if self.user == "student" and plural in self.store.denied:
            group = version.rpartition("/")[0]
            full = f"{plural}.{group}" if group else plural
            raise Refusal(
                403,
                "Forbidden",
                f'{full} is forbidden: User "student" cannot {self.request.method} resource "{plural}" in API group '
                f'"{group}" in the namespace "{namespace}"',
            )

    def _named(self, version: str, namespace: str, plural: str) -> tuple[str, str, str]:
        version = version.removeprefix("apis/").removeprefix("api/")
        if plural not in self.store.kinds.get(version, {}):
            raise Refusal(404, "NotFound", "the server could not find the requested resource")
        self._allow(version, plural, namespace)
        return version, namespace or "", plural

    async def get(self, version: str, namespace: str, plural: str, name: str) -> None:
        version, namespace, plural = self._named(version, namespace, plural)
        if name:
            self.finish(self.store.get(plural, namespace, name))
        elif self.get_argument("watch", "") == "true":
            await self._watch(plural, namespace)
        else:
            labels, fields = self.get_argument("labelSelector", ""), self.get_argument("fieldSelector", "")
            items = self.store.list(plural, namespace or None, labels, fields)
            kind = self.store.kinds[version][plural]
            metadata = {"resourceVersion": str(len(self.store.history))}
            self.finish({"kind": f"{kind}List", "apiVersion": version, "items": items, "metadata": metadata})

    async def _watch(self, plural: str, namespace: str) -> None:
        since = int(self.get_argument("resourceVersion", "") or len(self.store.history))
        await self.flush()
        try:
            async for event, thing in self.store.watch(plural, since):
                if not namespace or thing["metadata"].get("namespace") == namespace:
                    self.write(json.dumps({"type": event, "object": thing}) + "\n")
                    await self.flush()
        except StreamClosedError:
            pass

    def post(self, version: str, namespace: str, plural: str, name: str) -> None:
        version, namespace, plural = self._named(version, namespace, plural)
        thing = json.loads(self.request.body)
        if plural == "selfsubjectaccessreviews":
            attributes = thing["spec"]["resourceAttributes"]
            full = "/".join(filter(None, (attributes["resource"], attributes.get("subresource"))))
            allowed = self.user != "student" or full not in self.store.denied
            self.finish(thing | {"status": {"allowed": allowed}})
            return
        dry = self.get_argument("dryRun", "") == "All"
        self.set_status(201)
        self.finish(self.store.create(version, plural, namespace, thing, dry=dry))

    def patch(self, version: str, namespace: str, plural: str, name: str) -> None:
        version, namespace, plural = self._named(version, namespace, plural)
        change = json.loads(self.request.body)
        if "json-patch" in self.request.headers["Content-Type"]:
            self.finish(self.store.apply(plural, namespace, name, change))
            return
        assert "merge-patch" in self.request.headers["Content-Type"]
        self.finish(self.store.patch(plural, namespace, name, change))

    def delete(self, version: str, namespace: str, plural: str, name: str) -> None:
        version, namespace, plural = self._named(version, namespace, plural)
        self.finish(self.store.delete(plural, namespace, name, grace=plural == "pods"))


class PortForward(WebSocketHandler):
    """Channel 0 carries data, channel 1 errors; each begins with the number of the port."""

    def initialize(self, store: Store) -> None:
        self.store = store

    def check_origin(self, origin: str) -> bool:
        return True

    async def open(self, namespace: str, name: str) -> None:
        pod = self.store.get("pods", namespace, name)
        port = int(self.get_argument("ports"))
        self._early: list[bytes] = []
        self._writer: asyncio.StreamWriter | None = None
        for channel in (b"\x00", b"\x01"):
            await self.write_message(channel + port.to_bytes(2, "little"), binary=True)
        try:
            reader, self._writer = await asyncio.open_connection(pod["status"]["podIP"], port)
        except OSError as error:
            await self.write_message(b"\x01" + str(error).encode(), binary=True)
            self.close()
            return
        for data in self._early:
            self._writer.write(data)
        self._task = asyncio.create_task(self._copy(reader))

    async def _copy(self, reader: asyncio.StreamReader) -> None:
        try:
            while data := await reader.read(60000):
                await self.write_message(b"\x00" + data, binary=True)
        except Exception:  # noqa: S110 - either side has closed the connection
            pass
        self.close()

    def on_message(self, message: str | bytes) -> None:
        assert isinstance(message, bytes)
        assert message[0] == 0
        if self._writer is None:
            self._early.append(message[1:])
        else:
            self._writer.write(message[1:])

    def on_close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def application(store: Store, more: list[Any]) -> Application:
    """Return the web application; ``more`` are handlers of tests' own."""
    given = {"store": store}
    place = r"/(api/v1|apis/[^/]+/[^/]+)(?:/namespaces/([^/]+))?/([a-z]+)(?:/([^/]+))?(?:/status)?"
    return Application(
        [
            *more,
            (r"/(version|api|apis|api/v1|apis/[^/]+/[^/]+)/?", Discovery, given),
            (r"/api/v1/namespaces/([^/]+)/pods/([^/]+)/portforward", PortForward, given),
            (r"/(api/v1)()/(namespaces)/([^/]+)", Resources, given),
            (r"/(api/v1)()/(namespaces)()", Resources, given),
            (place, Resources, given),
        ],
        websocket_max_message_size=64 * 2**20,
    )
