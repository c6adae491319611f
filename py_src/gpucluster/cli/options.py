"""Options of ``create``, made from the spec models.

A field's bounds, default and description are written once, in ``gpucluster.protocol.spec``. Here they
become ``--n-workers``, ``--rmm-async/--no-rmm-async`` and their help, for the command line and the magic.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

from ..protocol.errors import FieldError, InvalidRequest
from ..protocol.kinds import spec_schemas, usable_kinds
from ..protocol.presets import PRESETS
from ..protocol.spec import SpecBase, parse_spec
from .arguments import SentenceParser, did_you_mean, shown

_WHOLE = re.compile(r"[+-]?[0-9]{1,40}")
_NONE = "none"
_NOT_TEXT = "must be text"
_NOT_HERE = "is not an option of this request"


@dataclass(frozen=True)
class SpecOption:
    """One field of the specs as an option."""

    field: str
    group: str
    description: str
    schema: dict[str, Any]
    """The JSON Schema of the field, in the backend that allows most."""
    backends: tuple[str, ...]
    """Backends that have the field."""

    @property
    def flag(self) -> str:
        """The option as it is typed."""
        return "--" + self.field.replace("_", "-")

    @property
    def variants(self) -> list[dict[str, Any]]:
        """What the value may be, without null."""
        every = self.schema.get("anyOf", [self.schema])
        return [variant for variant in every if variant.get("type") != "null"]

    @property
    def nullable(self) -> bool:
        """Whether ``none`` is a value."""
        return any(variant.get("type") == "null" for variant in self.schema.get("anyOf", ()))

    @property
    def kind(self) -> str:
        """``boolean``, ``integer``, ``array``, ``memory`` or ``string``."""
        first = self.variants[0]
        return "memory" if first.get("x-gpucluster-widget") == "memory" else str(first["type"])

    @property
    def choices(self) -> list[str]:
        """Words that the value can be, if they can be listed."""
        first = self.variants[0]
        words = list(first.get("enum", first.get("items", {}).get("enum", ())))
        words += ["auto"] if first.get("x-gpucluster-auto") else []
        return words + ([_NONE] if self.nullable and self.kind in {"integer", "memory"} else [])

    @property
    def metavar(self) -> str:
        """What stands for the value in the help."""
        if self.kind == "string" and self.choices:
            return "{" + ",".join(self.choices) + "}"
        if self.kind == "array":
            return "{" + ",".join(self.choices) + "},…" if self.choices else "A,B,…"
        return {"integer": "N", "memory": "SIZE"}.get(self.kind, self.field.rsplit("_", 1)[-1].upper())

    def help(self, every: int) -> str:
        """Return description, bounds, default and, where not all ``every`` backends have it, the backends."""
        parts = [self.description]
        first, default = self.variants[0], self.schema.get("default")
        if "minimum" in first:
            parts.append(f"{first['minimum']} to {first['maximum']}.")
        if default is not None and self.kind != "boolean":
            parts.append(f"Default: {default}.")
        elif default is True:
            parts.append("Default: on.")
        if len(self.backends) < every:
            parts.append(f"[{', '.join(self.backends)}]")
        return " ".join(parts).replace("%", "%%")

    def value(self, text: str) -> Any:
        """Turn the typed text into what the model wants; a text that is no such value stays text.

        The models are strict: what is left as text here is refused there, with the sentence that REST gives.
        """
        if self.nullable and text.lower() == _NONE:
            return None
        if self.kind == "integer":
            return as_number(text)
        if self.kind == "array":
            parts = [part.strip() for part in text.split(",")] if text.strip() else []
            items = self.variants[0]["items"]
            numbers = "integer" in {items.get("type"), *(item.get("type") for item in items.get("anyOf", ()))}
            return [as_number(part) if numbers else part for part in parts]
        return text


def as_number(text: str) -> int | str:
    """Return the whole number that the text is, else the text, which the strict models then refuse."""
    return int(text) if _WHOLE.fullmatch(text) else text


@cache
def spec_options() -> dict[str, SpecOption]:
    """Return the options of all backends by field name, in the order of the help."""
    found: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for backend, schema in spec_schemas().items():
        for field, properties in schema["properties"].items():
            found.setdefault(field, []).append((backend, properties))
    options = {}
    for field, uses in found.items():
        if field == "backend":
            continue
        # Where backends differ, the one that allows most choices says what the option is.
        _, properties = max(uses, key=lambda use: len(use[1].get("enum", ())))
        options[field] = SpecOption(
            field=field,
            group=properties.get("group", "Cluster"),
            description=properties.get("description", ""),
            schema=properties,
            backends=tuple(backend for backend, _ in uses),
        )
    return options


@cache
def backends() -> tuple[str, ...]:
    """Return the kinds that can be used here, ``auto`` first."""
    return tuple(usable_kinds())


def add_spec_options(parser: SentenceParser, fields: Collection[str] | None = None) -> None:
    """Declare ``--backend``, ``--preset`` and one option per field of the specs, or only for some of the fields."""
    kinds = " ".join(f"{name}: {_backend_description(name)}" for name in backends())
    parser.argument(
        "--backend",
        metavar="{" + ",".join(backends()) + "}",
        help=f"{kinds} Default: auto.".replace("%", "%%"),
        complete=backends(),
        group="Cluster",
    )
    presets = [preset.name for preset in PRESETS]
    parser.argument(
        "--preset",
        metavar="NAME",
        help=f"Start from a preset ({', '.join(presets)}); the other options change it.",
        complete=presets,
        group="Cluster",
    )
    for option in spec_options().values():
        if fields is not None and option.field not in fields:
            continue
        if option.kind == "boolean":
            kind: dict[str, Any] = {"action": argparse.BooleanOptionalAction}
        else:
            kind = {"metavar": option.metavar}
        complete: Any = option.choices or ("file" if option.field.endswith("directory") else ())
        parser.argument(
            option.flag, dest=option.field, help=option.help(len(backends())), complete=complete,
            group=option.group, **kind,
        )  # fmt: skip


def spec_from(found: argparse.Namespace) -> SpecBase:
    """Return the validated spec of the options that were given; the rest keeps the models' defaults.

    Raises
    ------
    InvalidRequest
        With a sentence that names the option.
    """
    given = vars(found)
    fields: dict[str, Any] = {}
    if "preset" in given:
        fields.update(_preset(given["preset"]))
    if "backend" in given:
        fields["backend"] = given["backend"]
    for field, option in spec_options().items():
        if field in given:
            text = given[field]
            fields[field] = option.value(text) if isinstance(text, str) else text
    try:
        return parse_spec(fields)
    except InvalidRequest as error:
        raise _in_terms_of_options(error, str(fields.get("backend", "auto"))) from None


def _preset(name: str) -> dict[str, Any]:
    for preset in PRESETS:
        if preset.name == name:
            return dict(preset.spec)
    names = [preset.name for preset in PRESETS]
    raise InvalidRequest(
        f"--preset: there is no preset '{shown(name)}'.{did_you_mean(name, names)} There are {', '.join(names)}."
    )


def _in_terms_of_options(error: InvalidRequest, backend: str) -> InvalidRequest:
    """Name the options instead of the fields, and the backend that a foreign option belongs to."""
    sentences = []
    numbered = {item.field for item in error.fields if item.message.startswith(_NOT_TEXT) is False}
    for item in error.fields:
        # A union complains once per type; that a number is no text is the lesser complaint.
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


def _backend_description(name: str) -> str:
    return usable_kinds()[name].spec.model_fields["backend"].description or ""
