"""The options that a Dask Gateway server offers: described, and checked before a request."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ...protocol.errors import FieldError, PreflightFailed
from ...protocol.plain_text import printable

_YES_NO = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}
_JSON_TYPES = {"int": "integer", "float": "number", "bool": "boolean"}


@dataclass(frozen=True)
class Option:
    """One option of a server."""

    name: str
    label: str
    default: Any
    kind: str  # ``string``, ``bool``, ``int``, ``float``, ``select`` or ``mapping``.
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()

    @classmethod
    def read(cls, row: Mapping[str, Any]) -> Self:
        spec = row["spec"]
        return cls(
            name=printable(str(row["field"]), 100),
            label=printable(str(row.get("label") or row["field"]), 100),
            default=row.get("default"),
            kind=str(spec["type"]),
            minimum=spec.get("min"),
            maximum=spec.get("max"),
            choices=tuple(str(choice) for choice in spec.get("options") or ()),
        )

    @property
    def allowed(self) -> str:
        """Description of the values that it can have."""
        if self.kind == "select":
            return f"one of {', '.join(repr(printable(choice, 60)) for choice in self.choices)}"
        word = {
            "int": "a whole number", "float": "a number", "bool": "true or false", "string": "text",
            "mapping": "a mapping, as an object of JSON",
        }.get(self.kind, "a value")  # fmt: skip
        if self.minimum is not None and self.maximum is not None:
            return f"{word} from {self.minimum:g} to {self.maximum:g}"
        if self.minimum is not None:
            return f"{word} of at least {self.minimum:g}"
        return word if self.maximum is None else f"{word} of at most {self.maximum:g}"

    def described(self) -> str:
        """Return a line with its name, its values, and its default."""
        title = "" if self.label == self.name else f" ({self.label})"
        left_out = self.default if isinstance(self.default, str) and self.default else json.dumps(self.default)
        return f"{self.name}{title}: {self.allowed}; {printable(str(left_out), 100)} when left out"

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "title": self.label,
            "type": _JSON_TYPES.get(self.kind, "object" if self.kind == "mapping" else "string"),
            "default": self.default,
        }
        bounds = {"minimum": self.minimum, "maximum": self.maximum, "enum": list(self.choices) or None}
        return found | {name: value for name, value in bounds.items() if value is not None}

    def value(self, given: Any) -> Any:
        """Convert a value that was typed, or is of the right type already.

        Raises `ValueError` with the end of a sentence.
        """
        try:
            value = self._read(given)
        except (TypeError, ValueError):
            raise ValueError(f"must be {self.allowed}, not {_shown(given)}") from None
        if isinstance(value, str) and self.kind == "select" and value not in self.choices:
            raise ValueError(f"must be {self.allowed}, not {_shown(given)}.{_nearest(value, self.choices)}".rstrip("."))
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            low = self.minimum is not None and value < self.minimum
            if low or (self.maximum is not None and value > self.maximum):
                raise ValueError(f"must be {self.allowed}, not {_shown(given)}")
        return value

    def _read(self, given: Any) -> Any:
        is_text, is_bool = isinstance(given, str), isinstance(given, bool)
        if self.kind == "bool":
            return given if is_bool else _YES_NO[given.lower()] if is_text and given.lower() in _YES_NO else _fail()
        if self.kind == "int":
            return int(given) if is_text else given if isinstance(given, int) and not is_bool else _fail()
        if self.kind == "float":
            number = float(given) if not is_bool else math.nan
            return number if math.isfinite(number) else _fail()
        if self.kind in {"string", "select"}:
            return given if is_text else str(given) if isinstance(given, (int, float)) and not is_bool else _fail()
        if self.kind == "mapping":
            found = json.loads(given) if is_text else given
            return found if isinstance(found, dict) else _fail()
        return given  # The server knows.


def _fail() -> Any:
    raise ValueError


def _shown(given: Any) -> str:
    return repr(printable(given if isinstance(given, str) else json.dumps(given), 40)).replace("'" * 2, "nothing")


def _nearest(name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name.lower(), {one.lower(): one for one in names}, n=1, cutoff=0.6)
    return f" Did you mean '{next(one for one in names if one.lower() == near[0])}'?" if near else ""


def read_options(rows: Sequence[Mapping[str, Any]]) -> list[Option]:
    return [Option.read(row) for row in rows]


def checked(offered: Sequence[Option], given: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options with their values: those given, else those of Dask's configuration, else the server's own."""
    known = {option.name: option for option in offered}
    values = {option.name: option.default for option in offered}
    faults: list[FieldError] = []
    for source, options in (("Dask's setting gateway.cluster.options: ", usual), ("", given)):
        for name, value in options.items():
            try:
                if name not in known:
                    raise ValueError(_unknown(name, list(known)))
                values[name] = known[name].value(value)
            except ValueError as error:
                faults.append(FieldError(field=f"gateway_options.{name}", message=f"{source}{error}"))
    if faults:
        message = "; ".join(f"{fault.field}: {fault.message}" for fault in faults)
        raise PreflightFailed(message if message.endswith("?") else f"{message}.", fields=faults)
    return values


def _unknown(name: str, names: Sequence[str]) -> str:
    if not names:
        return "this Dask Gateway offers no options"
    listed = ", ".join(names)
    return f"this Dask Gateway offers no such option; available: {listed}.{_nearest(name, names)}".rstrip(".")
