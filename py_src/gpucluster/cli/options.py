"""Options of ``create``, made from the spec models.

A field's bounds, default and description are written once, in ``gpucluster.protocol.spec``. Here they become
``--n-workers``, ``--rmm-async/--no-rmm-async`` and their help, for the command line and the magic, even for kinds that
other packages add.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..client.starting.capacity import checked_spec
from ..protocol.errors import FieldError, InvalidRequest
from ..protocol.kinds import InstalledKind, installed_kinds, spec_schemas, usable_kinds
from ..protocol.sizes import format_size
from ..protocol.spec import SpecBase
from ..site.completing import find_preset
from ..site.presets import PRESETS
from ..site.reading import this_site
from .arguments import SentenceParser, shown

_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?")
_NONE = "none"
_NOT_TEXT = "must be text"
_NOT_HERE = "is not an option of this request"


_TAKEN = {"backend", "preset", "dry_run", "help", "json", "no_wait", "timeout", "connect"}
"""Options of the command line whose name a field of another package's kind may have, too."""


@dataclass(frozen=True)
class SpecOption:
    """One field of the specs as an option."""

    field: str
    schemas: dict[str, dict[str, Any]]  # The JSON Schema of the field in each kind that has it.

    @property
    def backends(self) -> tuple[str, ...]:
        return tuple(self.schemas)

    @property
    def schema(self) -> dict[str, Any]:
        """The schema of the kind with the most choices, for the help."""
        return max(self.schemas.values(), key=lambda schema: len(schema.get("enum", ())))

    @property
    def flag(self) -> str:
        words = [self.backends[0], self.field] if self.field in _TAKEN else [self.field]
        return "--" + "-".join(words).replace("_", "-")

    @property
    def dest(self) -> str:
        """Its name in the ``Namespace``."""
        return self.flag.removeprefix("--").replace("-", "_")

    @property
    def group(self) -> str:
        return str(self.schema.get("group", "Cluster"))

    @property
    def kind(self) -> str:
        """``boolean``, ``integer``, ``number``, ``array``, ``memory`` or ``string``."""
        return _kind(self.schema)

    @property
    def choices(self) -> list[str]:
        """Allowed words in any kind, if they can be listed."""
        schemas = (self.schema, *self.schemas.values())
        return list(dict.fromkeys(word for schema in schemas for word in _choices(schema)))

    @property
    def metavar(self) -> str:
        if self.kind == "string" and self.choices:
            return "{" + ",".join(self.choices) + "}"
        if self.kind == "array":
            return "{" + ",".join(self.choices) + "},…" if self.choices else "A,B,…"
        return {"integer": "N", "number": "X", "memory": "SIZE"}.get(self.kind, self.field.rsplit("_", 1)[-1].upper())

    def help(self, every: int) -> str:
        """Return description, bounds, default and, unless all ``every`` kinds have it, the kinds."""
        parts = [self.schema.get("description", "")]
        default = self.schema.get("default")
        parts.append(self._bounds())
        if default is not None and self.kind != "boolean":
            in_bytes = self.kind == "memory" and isinstance(default, int)
            parts.append(f"Default: {format_size(default) if in_bytes else default}.")
        elif default is True:
            parts.append("Default: on.")
        parts += self._other_choices()
        if len(self.backends) < every:
            parts.append(f"[{', '.join(self.backends)}]")
        return " ".join(filter(None, parts)).replace("%", "%%")

    def _bounds(self) -> str:
        """Return the bounds of the value, with those of kinds that differ."""
        usual = _between(self.schema)
        others: dict[str, list[str]] = {}
        for backend, schema in self.schemas.items():
            if usual and (found := _between(schema)) not in {usual, ""}:
                others.setdefault(found, []).append(backend)
        besides = "".join(f"; {', '.join(kinds)}: {found}" for found, kinds in others.items())
        return f"{usual}{besides}." if usual else ""

    def _other_choices(self) -> list[str]:
        """Return sentences about kinds with other allowed words."""
        usual = _choices(self.schema)
        others: dict[tuple[str, ...], list[str]] = {}
        for backend, schema in self.schemas.items():
            if usual and self.kind == "string" and _choices(schema) != usual:
                others.setdefault(tuple(_choices(schema)), []).append(backend)
        sentences = []
        for words, kinds in others.items():
            schema = self.schemas[kinds[0]]
            sentences.append(f"With {', '.join(kinds)}: {{{','.join(words)}}}, by default {schema.get('default')}.")
            if not set(words) <= set(usual):
                sentences.append(schema.get("description", ""))
        return sentences

    def value(self, text: str, backend: str) -> Any:
        """Convert the typed text to the type of a kind's field; what cannot be converted stays text.

        The models are strict and refuse such text with the same message as over REST.
        """
        schema = self.schemas.get(backend, self.schema)
        kind = _kind(schema)
        if _nullable(schema) and text.lower() == _NONE:
            return None
        if kind == "integer":
            return as_number(text)
        if kind == "number":
            return float(text) if _NUMBER.fullmatch(text) else text
        if kind == "array":
            parts = [part.strip() for part in text.split(",")] if text.strip() else []
            items = _items(_variants(schema)[0])
            numbers = "integer" in {items.get("type"), *(item.get("type") for item in items.get("anyOf", ()))}
            return [as_number(part) if numbers else part for part in parts]
        return text


def _variants(schema: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the alternatives of a value, without null."""
    return [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"] or [{}]


def _between(schema: dict[str, Any]) -> str:
    first = _variants(schema)[0]
    return f"{first['minimum']} to {first['maximum']}" if {"minimum", "maximum"} <= first.keys() else ""


def _choices(schema: dict[str, Any]) -> list[str]:
    """Return the allowed words of a value, if they can be listed."""
    first = _variants(schema)[0]
    words = list(first.get("enum", _items(first).get("enum", ())))
    words += ["auto"] if first.get("x-gpucluster-auto") else []
    return [str(word) for word in words] + (
        [_NONE] if _nullable(schema) and _kind(schema) in {"integer", "memory"} else []
    )


def _nullable(schema: dict[str, Any]) -> bool:
    return any(one.get("type") == "null" for one in schema.get("anyOf", ()))


def _kind(schema: dict[str, Any]) -> str:
    first = _variants(schema)[0]
    if first.get("x-gpucluster-widget") == "memory":
        return "memory"
    kind = str(first.get("type"))
    # Other types are passed as text, and checked by the model of the kind.
    return kind if kind in {"boolean", "integer", "number", "array"} else "string"


def _items(schema: dict[str, Any]) -> dict[str, Any]:
    items = schema.get("items")
    return items if isinstance(items, dict) else {}


def as_number(text: str) -> int | str:
    """Return a text as a whole number if it is one, else unchanged: the strict models then refuse it."""
    return int(text) if _WHOLE.fullmatch(text) else text


def spec_options() -> dict[str, SpecOption]:
    """Return the options of all kinds by field name, in the order of the help."""
    return _options(installed_kinds())


@lru_cache(maxsize=1)
def _options(_kinds: tuple[InstalledKind, ...]) -> dict[str, SpecOption]:
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for backend, schema in spec_schemas().items():
        for field, properties in schema["properties"].items():
            reference = str(properties.get("$ref", "")).rpartition("/")[2]  # Such as to an enumeration.
            found.setdefault(field, {})[backend] = {**schema.get("$defs", {}).get(reference, {}), **properties}
    del found["backend"]
    return {field: SpecOption(field, schemas) for field, schemas in found.items()}


def backends() -> tuple[str, ...]:
    """Return the usable kinds, ``auto`` first."""
    return tuple(usable_kinds())


def add_spec_options(
    parser: SentenceParser, fields: Collection[str] | None = None, helps: Mapping[str, str] | None = None
) -> None:
    """Declare ``--backend``, ``--preset`` and one option per field of the specs.

    `fields`: only these fields; default: all. `helps`: help texts of fields with another meaning than for `create`.
    """
    usable = usable_kinds()
    kinds = " ".join(f"{name}: {usable[name].spec.model_fields['backend'].description or ''}" for name in backends())
    parser.argument(
        "--backend",
        metavar="{" + ",".join(backends()) + "}",
        help=f"{kinds} Default: auto.".replace("%", "%%"),
        complete=backends(),
        group="Cluster",
    )
    # The help is the same at every site; 'presets' lists those of this one.
    presets = [preset.name for preset in PRESETS]
    parser.argument(
        "--preset",
        metavar="NAME",
        help=f"Start from a preset ({', '.join(presets)}); the other options override it.",
        complete=[preset.name for preset in this_site().presets],
        group="Cluster",
    )
    for option in spec_options().values():
        if fields is not None and option.field not in fields:
            continue
        is_switch = option.kind == "boolean"
        kind: Any = {"action": argparse.BooleanOptionalAction} if is_switch else {"metavar": option.metavar}
        complete: Any = option.choices or ("file" if option.field.endswith("directory") else ())
        short = ["-n"] if option.field == "n_workers" else []
        parser.argument(
            *short, option.flag, dest=option.dest, complete=complete, group=option.group,
            help=(helps or {}).get(option.field) or option.help(len(backends())), **kind,
        )  # fmt: skip


def spec_from(found: argparse.Namespace) -> SpecBase:
    """Return the validated spec of the given options; other fields keep their defaults."""
    given = vars(found)
    fields: dict[str, Any] = {}
    if "preset" in given:
        try:
            fields.update(find_preset(given["preset"]).spec)
        except InvalidRequest as error:
            raise InvalidRequest(f"--{error.message}") from None
    if "backend" in given:
        fields["backend"] = given["backend"]
    backend = str(fields.get("backend", "auto"))
    for field, option in spec_options().items():
        text = given.get(option.dest)
        if text is not None:
            fields[field] = option.value(text, backend) if isinstance(text, str) else text
    try:
        return checked_spec(fields)
    except InvalidRequest as error:
        raise _in_terms_of_options(error, backend) from None


def _in_terms_of_options(error: InvalidRequest, backend: str) -> InvalidRequest:
    """Name options instead of fields, and the backend of a foreign option."""
    sentences = []
    numbered = {item.field for item in error.fields if item.message.startswith(_NOT_TEXT) is False}
    for item in error.fields:
        # A union reports one error per type; that a number is not text is the less useful one.
        if item.message.startswith(_NOT_TEXT) and any(field in item.field for field in numbered):
            continue
        field = item.field.split(".")[0]
        option = spec_options().get(field)
        message = item.message
        if option and message.startswith(_NOT_HERE):
            owners = " or ".join(f"--backend {name}" for name in option.backends)
            message = f"is not an option of the backend '{shown(backend)}'; it belongs to {owners}"
        name = option.flag if option else f"--{field}" if field else ""
        sentences.append((item.field, f"{name}: {message}" if name else message))
    if not sentences:
        return error
    text = "; ".join(dict.fromkeys(sentence for _, sentence in sentences))
    fields = [FieldError(field=field, message=sentence) for field, sentence in sentences]
    return InvalidRequest(f"{text}.", fields=fields)
