"""The routes and fields of the REST interface, from the OpenAPI document that the server ships."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_GROUPS = {
    "Clusters": ("clusters", "notes", "preview"),
    "What there is to choose from": ("schema", "presets", "devices", "node", "site"),
    "Lessons": ("lessons",),
    "Recordings": ("recordings",),
    "Events, metrics, dashboards": ("events", "metrics", "openapi.json", "dashboard"),
}
_REFERENCE = "#/components/schemas/"


def routes_and_models(document: Mapping[str, Any]) -> str:
    """Return Markdown: each route with what it takes and gives, then each model with its fields."""
    parts = []
    left = dict(document["paths"])
    known = {start for starts in _GROUPS.values() for start in starts}
    more = {"More": tuple({_subject(path) for path in left} - known)}
    for title, starts in (_GROUPS | more).items():
        paths = [path for path in left if _subject(path) in starts]
        parts += [f"## {title}"] if paths else []
        for path in paths:
            for method, operation in left[path].items():
                parts += _route(method, path, operation)
    parts.append("## Models")
    for name, schema in sorted(document["components"]["schemas"].items()):
        parts += _model(name, schema)
    return "\n\n".join(parts)


def _subject(path: str) -> str:
    first, *rest = path.strip("/").split("/")
    return rest[0] if first == "api" else first


def _route(method: str, path: str, operation: Mapping[str, Any]) -> Iterable[str]:
    yield f"### `{method.upper()} {path}`"
    yield _prose(operation["summary"])
    lines = [
        f"`{one['name']}` (in the {one['in']}): {_type(one['schema'])}{_bounds(one['schema'])}"
        for one in operation["parameters"]
    ]
    if body := operation.get("requestBody"):
        lines.append(f"Body: {_type(body['content']['application/json']['schema'])}")
    for status, answer in operation["responses"].items():
        (media_type, content), *_ = answer["content"].items()
        given = _type(content["schema"]) if content.get("schema") else f"`{media_type}`"
        about = "" if int(status) < 400 else f" {_prose(answer['description'])}"
        lines.append(
            f"**{status}**{':' if int(status) < 400 else ''}{about} {given if int(status) < 400 else ''}".rstrip()
        )
    yield "\n".join(f"* {line}" for line in lines)


def _model(name: str, schema: Mapping[str, Any]) -> Iterable[str]:
    yield f"### {name}"
    if schema.get("description"):
        yield _prose(schema["description"].split("\n\nAttributes")[0])
    if properties := schema.get("properties"):
        described = _attributes(schema.get("description", ""))
        rows = [
            f"| `{field}` | {_type(one)}{_bounds(one)} | {_cell(one.get('description') or described.get(field, ''))} |"
            for field, one in properties.items()
        ]
        yield "\n".join(["| Field | Type | What it is |", "|---|---|---|", *rows])
    else:
        yield f"{_type(schema)}"


def _attributes(description: str) -> dict[str, str]:
    """Return what a docstring says of each field, where the schema does not."""
    _, _, text = description.partition("Attributes\n----------\n")
    entries = re.split(r"^(\w+(?:, \w+)*) :.*$", text, flags=re.MULTILINE)
    pairs = zip(entries[1::2], entries[2::2], strict=False)
    return {name: " ".join(about.split()) for names, about in pairs for name in names.split(", ")}


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        return f"[{name}](#{name.lower()})"
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(_type(one) for one in schema[key]))
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{one}`" for one in schema["enum"])
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array" and "items" in schema:
        return f"array of {_type(schema['items'])}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return str(kind)


def _bounds(schema: Mapping[str, Any]) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    said = (
        f", {low:,} to {high:,}"
        if low is not None and high is not None
        else f", at least {low:,}"
        if low is not None
        else ""
    )
    default = schema.get("default")
    return said if default is None else f"{said}; `{default}` if left out"


def _prose(text: str) -> str:
    """Return a docstring's text as Markdown."""
    return " ".join(text.replace("``", "`").replace("<", "&lt;").split())


def _cell(text: str) -> str:
    return _prose(text).replace("|", "\\|")
