"""The options of clusters of a Dask Gateway server, and those that a server offers."""

from __future__ import annotations

import difflib
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema, field_validator, model_validator

from ...protocol.errors import FieldError, PreflightFailed
from ...protocol.plain_text import printable
from ...protocol.spec_base import (
    SpecBase,
    WorkerCountOrZero,
    advanced,
    matching,
    not_at_default,
    not_shown,
    number_of_workers,
    option,
    pairs,
)

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
            "mapping": "a mapping (a JSON object)",
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
        return f"{self.name}{title}: {self.allowed}; {printable(str(left_out), 100)} by default"

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "title": self.label,
            "type": _JSON_TYPES.get(self.kind, "object" if self.kind == "mapping" else "string"),
            "default": self.default,
        }
        bounds = {"minimum": self.minimum, "maximum": self.maximum, "enum": list(self.choices) or None}
        return found | {name: value for name, value in bounds.items() if value is not None}

    def value(self, given: Any) -> Any:
        """Convert a value that was typed, or has the right type. Raises `ValueError` with the end of a sentence."""
        try:
            value = self._read(given)
        except (TypeError, ValueError):
            raise ValueError(f"must be {self.allowed}, not {_shown_value(given)}") from None
        if isinstance(value, str) and self.kind == "select" and value not in self.choices:
            raise ValueError(
                f"must be {self.allowed}, not {_shown_value(given)}.{_nearest(value, self.choices)}".rstrip(".")
            )
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            low = self.minimum is not None and value < self.minimum
            if low or (self.maximum is not None and value > self.maximum):
                raise ValueError(f"must be {self.allowed}, not {_shown_value(given)}")
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


def _shown_value(given: Any) -> str:
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


HUB_TOKEN = "JUPYTERHUB_API_TOKEN"  # noqa: S105, the name of a variable
MOST_BYTES = 100_000
_OPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
_PROXY = re.compile(r"(?:(?:gateway|tls)://)?(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})|([0-9]{1,5})")
_NOT_OURS = ("threads_per_worker", "memory_limit", "local_directory")
"""Decided by the site, which may offer its own options for them."""
_shown = partial(option, "Dask Gateway")
_advanced = partial(advanced, "Dask Gateway")


def _parse_options(value: Any) -> dict[str, Any]:
    """Read a mapping, or text: ``worker_cores=2,profile=big``, or a JSON object."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("{"):
            try:
                value = json.loads(text)
            except ValueError:
                raise ValueError("looks like a JSON object, but is not valid") from None
        else:
            value = pairs(text, "'worker_cores=2,profile=big'")
    if not isinstance(value, Mapping):
        raise ValueError("must be a mapping of names to values, or text like 'worker_cores=2,profile=big'")
    for name in value:
        if not isinstance(name, str) or not _OPTION.fullmatch(name):
            raise ValueError(f"{printable(str(name), 40)!r} is not a valid option name")
    try:
        too_long = len(json.dumps(dict(value), allow_nan=False)) > MOST_BYTES
    except (TypeError, ValueError):
        raise ValueError("may contain only text, numbers, true, false, lists and mappings") from None
    if too_long:
        raise ValueError(f"may have at most {MOST_BYTES:,} characters")
    return dict(value)


Options = Annotated[
    dict[str, JsonValue], BeforeValidator(_parse_options), WithJsonSchema({"type": ["string", "object"]})
]

ClusterName = Annotated[
    str,
    matching(
        r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}",
        "must be the name that the server gave the cluster: letters, digits, '.', '_', '-'",
    ),
]
UserName = Annotated[str, matching(r"[^\x00-\x1f\x7f:]{1,200}", "must be the name that you log in with, without ':'")]


class GatewaySpec(SpecBase):
    """A cluster of a Dask Gateway server: a new one, or one that the server has already."""

    model_config = ConfigDict(json_schema_extra=not_shown(*_NOT_OURS))

    backend: Literal["gateway"] = Field(
        "gateway", title="Kind", description="A cluster that the site's Dask Gateway starts and manages."
    )
    n_workers: WorkerCountOrZero | None = number_of_workers("one, or as many as the existing cluster has")
    address: str | None = _shown(
        "Address",
        None,
        "Address of the Dask Gateway server, such as 'https://hub.example.org/services/dask-gateway'. Default: "
        "'gateway.address' of Dask's configuration.",
    )
    gateway_options: Options = _shown(
        "Gateway options",
        dict,
        "Options that the server offers, such as 'worker_cores=2,profile=big'; in Python and JSON also a mapping. They "
        "are stored with the cluster: no passwords here.",
    )
    cluster_name: ClusterName | None = _shown(
        "Existing cluster", None, "Name of an existing cluster of the server to connect to, instead of a new one."
    )
    auth: Literal["basic", "jupyterhub", "kerberos"] | None = _advanced(
        "Login", None, "How you log in to the server. Default: 'gateway.auth' of Dask's configuration, else 'basic'."
    )
    username: UserName | None = _advanced(
        "User name", None, "For auth 'basic'. Default: from Dask's configuration, else your local user name."
    )
    password_from: str | None = _advanced(
        "Password from",
        None,
        "Where the password ('basic') or the token ('jupyterhub') is: the name of an environment variable, or the "
        "absolute path of a file that only you can read. Default: Dask's configuration.",
    )
    proxy_address: str | None = _advanced(
        "Address for Dask",
        None,
        "Where the server accepts connections to schedulers, as 'host:port' or a port. Default: "
        "'gateway.proxy-address' of Dask's configuration, else the port of the address.",
    )
    shutdown_on_stop: bool | None = _advanced(
        "Shut down on stop",
        None,
        "Whether to shut it down on the server when you stop it or the cluster's process ends. Default: yes for a new "
        "one, no for an existing one.",
    )

    @property
    def protocol(self) -> str:
        """What the cluster's process must prepare: nothing, as the server has the credentials."""
        return "tcp"

    @property
    def ends_with_us(self) -> bool:
        return self.cluster_name is None if self.shutdown_on_stop is None else self.shutdown_on_stop

    def process_environment(self) -> dict[str, str]:
        """Add the Hub's token if it may be needed; that process starts no worker that could inherit it."""
        token = os.environ.get(HUB_TOKEN) if self.auth in {None, "jupyterhub"} else None
        return {**super().process_environment(), **({HUB_TOKEN: token} if token else {})}

    @field_validator("address")
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            port = parts.port
        except ValueError:
            parts, port = urlsplit(""), None
        if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0 or not value.isprintable():
            raise ValueError(
                f"{printable(value, 60)!r} is not the address of a Dask Gateway: write it like "
                "'https://hub.example.org/services/dask-gateway'"
            )
        if parts.username is not None or parts.password is not None:
            raise ValueError("must not contain a user name or a password: use username and password_from")
        if parts.query or parts.fragment or " " in value:
            raise ValueError("must end with its path, without '?', '#' and spaces")
        return value.rstrip("/")

    @field_validator("proxy_address", mode="before")
    @classmethod
    def _place(cls, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str):
            found = _PROXY.fullmatch(value)
            if not found or not 0 < int(found[2] or found[3]) < 65536:
                raise ValueError("must be a port, or a host with its port, such as 'hub.example.org:8786'")
        return value

    @field_validator("password_from")
    @classmethod
    def _no_password(cls, value: str | None) -> str | None:
        if value is None or _VARIABLE.fullmatch(value):
            return value
        if not os.path.isabs(value) or not value.isprintable():
            raise ValueError("must be the name of an environment variable, or the absolute path of a file")
        return value

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        if chosen := not_at_default(self, _NOT_OURS):
            raise ValueError(f"{chosen} is set by the site; see gateway_options")
        if self.cluster_name is not None and self.gateway_options:
            raise ValueError("gateway_options are for a new cluster; omit them to connect to an existing one")
        if self.username is not None and self.auth not in {None, "basic"}:
            raise ValueError("username is for auth 'basic'")
        if self.password_from is not None and self.auth == "kerberos":
            raise ValueError("password_from is for auth 'basic' and 'jupyterhub'; for Kerberos, run kinit")
        return self
