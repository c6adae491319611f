"""The options of clusters of a Dask Gateway server."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema, field_validator, model_validator

from ...protocol.plain_text import printable
from ...protocol.spec_base import SpecBase, WorkerCountOrZero, not_shown
from ..spec_fields import advanced, matching, not_at_default, option, pairs

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
                raise ValueError("begins like a JSON object, but is not valid") from None
        else:
            value = pairs(text, "'worker_cores=2,profile=big'")
    if not isinstance(value, Mapping):
        raise ValueError("must be a mapping of names to values, or text like 'worker_cores=2,profile=big'")
    for name in value:
        if not isinstance(name, str) or not _OPTION.fullmatch(name):
            raise ValueError(f"{printable(str(name), 40)!r} cannot be the name of an option")
    try:
        too_long = len(json.dumps(dict(value), allow_nan=False)) > MOST_BYTES
    except (TypeError, ValueError):
        raise ValueError("may hold text, numbers, true, false, lists and mappings only") from None
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
        "must be the name that the server has given the cluster: letters, digits, '.', '_', '-'",
    ),
]
UserName = Annotated[str, matching(r"[^\x00-\x1f\x7f:]{1,200}", "must be the name that you log in with, without ':'")]


class GatewaySpec(SpecBase):
    """A cluster of a Dask Gateway server: a new one, or one that the server has already."""

    model_config = ConfigDict(json_schema_extra=not_shown(*_NOT_OURS))

    backend: Literal["gateway"] = Field(
        "gateway", title="Kind", description="A cluster that the site's Dask Gateway starts and manages."
    )
    n_workers: WorkerCountOrZero | None = option(
        "Cluster",
        "Workers",
        None,
        "Number of workers; 0 starts with none. Default: one, or those of the existing cluster.",
        unit="worker",
    )
    address: str | None = _shown(
        "Address",
        None,
        "Address of the Dask Gateway server, such as 'https://hub.example.org/services/dask-gateway'. Default: "
        "'gateway.address' of Dask's configuration.",
    )
    gateway_options: Options = _shown(
        "Gateway options",
        dict,
        "What the server lets you choose, as 'worker_cores=2,profile=big'; in Python and JSON also a mapping. They "
        "are stored with the cluster: no passwords here.",
    )
    cluster_name: ClusterName | None = _shown(
        "Existing cluster",
        None,
        "Name of an existing cluster of the server to connect to, instead of a new one.",
    )
    auth: Literal["basic", "jupyterhub", "kerberos"] | None = _advanced(
        "Login",
        None,
        "How you log in to the server. Default: 'gateway.auth' of Dask's configuration, else 'basic'.",
    )
    username: UserName | None = _advanced(
        "User name",
        None,
        "For auth 'basic'. Default: that of Dask's configuration, else your user name here.",
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
        "Whether Stop, and the end of the cluster's process, shut it down on the server. Default: a new one yes, an "
        "existing one no.",
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
            raise ValueError("must not hold a user name or a password: use username and password_from")
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
            raise ValueError("gateway_options are for a new cluster; leave them out to connect to an existing one")
        if self.username is not None and self.auth not in {None, "basic"}:
            raise ValueError("username is for auth 'basic'")
        if self.password_from is not None and self.auth == "kerberos":
            raise ValueError("password_from is for auth 'basic' and 'jupyterhub'; for Kerberos, run kinit")
        return self
