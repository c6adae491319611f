"""All errors, and their form on the wire.

Every message is one or two sentences for the user who made the request: what was wrong and what to do next. Anything
that is not a ``GPUClusterError`` is a bug, is logged, and is hidden.
"""

import difflib
import linecache
import re
import traceback
from collections.abc import Collection
from itertools import chain
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, Field, ValidationError

from .plain_text import escaped

M = TypeVar("M", bound=BaseModel)


class FieldError(BaseModel, frozen=True, extra="forbid"):
    """What is wrong with one field of a request."""

    field: str = Field(description="Dotted path of the field, empty for the whole request.")
    message: str = Field(description="The problem, and what is allowed.")


class ErrorModel(BaseModel, frozen=True, extra="forbid"):
    """The JSON body of every refused request, the same on the unix socket and over REST."""

    code: str = Field(description="Stable, machine-readable name of the error.")
    message: str = Field(description="A message for the user who made the request.")
    fields: list[FieldError] = Field(default_factory=list, description="Per field, if known.")


class GPUClusterError(Exception):
    """Base of all errors a user may see. `message`: what happened, and what to do next. `fields`: those at fault."""

    code: ClassVar[str] = "error"
    http_status: ClassVar[int] = 500
    exit_code: ClassVar[int] = 1

    def __init_subclass__(
        cls, *, code: str | None = None, http_status: int | None = None, exit_code: int | None = None
    ) -> None:
        super().__init_subclass__()
        cls.code, cls.http_status = code or cls.code, http_status or cls.http_status
        cls.exit_code = exit_code or cls.exit_code

    def __init__(self, message: str, *, fields: list[FieldError] | None = None) -> None:
        # Terminals and logs show it, with names and values of others.
        self.message = escaped(message, keep="\n")
        super().__init__(self.message)
        self.fields = list(fields or [])

    def model(self) -> ErrorModel:
        """Return the wire form of this error."""
        return ErrorModel(code=self.code, message=self.message, fields=self.fields)

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows instead of a traceback: the message, and the line of the cell."""
        sentence = f"{type(self).__name__}: {self.message}"
        for frame, line in traceback.walk_tb(self.__traceback__):
            # IPython runs cells in a module of this name, and keeps their text for tracebacks.
            if frame.f_globals.get("__name__") == "__main__" and "get_ipython" in frame.f_globals:
                text = linecache.getline(frame.f_code.co_filename, line).strip()
                return [sentence, f"  line {line}: {text}"] if text else [sentence]
        return [sentence]


class InvalidRequest(GPUClusterError, code="invalid_request", http_status=422, exit_code=2):
    """A value in the request is not allowed. Nothing was changed."""


class WrongArguments(InvalidRequest, TypeError, code="wrong_arguments"):
    """A verb does not take what it was called with. Nothing was changed."""


class ClusterNotFound(GPUClusterError, code="cluster_not_found", http_status=404, exit_code=3):
    """There is no cluster of that name or id."""


class WorkerNotFound(GPUClusterError, code="worker_not_found", http_status=404, exit_code=3):
    """The cluster has no worker of that name."""


class LinkNotFound(GPUClusterError, code="link_not_found", http_status=404, exit_code=3):
    """The cluster has no link of that id, or has it no more."""


class LinkRefused(GPUClusterError, code="link_refused", http_status=403, exit_code=4):
    """The site, or this Jupyter server, does not allow such a link."""


class RecordingNotFound(GPUClusterError, code="recording_not_found", http_status=404, exit_code=3):
    """There is no recording of that name."""


class RecordingUnreadable(GPUClusterError, code="recording_unreadable", http_status=422, exit_code=2):
    """The file is not a recording, is damaged, or was made by a newer version."""


class NameTaken(GPUClusterError, code="name_taken", http_status=409, exit_code=4):
    """A live cluster has that name already."""


class NotNow(GPUClusterError, code="not_now", http_status=409, exit_code=4):
    """No other cluster may be created now: outside of the site's hours, or it is more than a user may have."""


class InvalidState(GPUClusterError, code="invalid_state", http_status=409, exit_code=4):
    """The cluster's state does not allow this request."""


class ClusterEnded(InvalidState, code="cluster_ended"):
    """The cluster has ended or is ending, and all clients were disconnected."""


class StartFailed(GPUClusterError, code="start_failed", http_status=500, exit_code=5):
    """The cluster could not be started; nothing was left running."""


class PreflightFailed(StartFailed, code="preflight_failed", http_status=409):
    """Something checked before the start was not in order."""


class NoUsableDevice(PreflightFailed, code="no_usable_device"):
    """No GPU can be used, or not the one that was asked for."""


class MissingPackage(PreflightFailed, code="missing_package"):
    """An optional package is not installed in the cluster's Python environment."""


class StartTimedOut(StartFailed, TimeoutError, code="start_timed_out", http_status=504):
    """Not all workers arrived in time."""


class OperationFailed(GPUClusterError, code="operation_failed", http_status=500, exit_code=5):
    """A running cluster could not carry out a request. It continues unchanged."""


class ScaleFailed(OperationFailed, code="scale_failed"):
    """The cluster has another number of workers than requested, and will not reach it."""


class OperationTimedOut(OperationFailed, TimeoutError, code="operation_timed_out", http_status=504):
    """A running cluster has not carried out a request in time. It continues, and may still do so."""


class SupervisorUnreachable(GPUClusterError, code="supervisor_unreachable", http_status=503, exit_code=6):
    """The process that owns the cluster does not respond."""


class AccessDenied(GPUClusterError, code="access_denied", http_status=403, exit_code=6):
    """A request to a cluster's process that does not come from its user, or without its secret."""


class NotAnInstructor(AccessDenied, code="not_an_instructor", exit_code=1):
    """The request is only for instructors of the site."""


class ProtocolMismatch(GPUClusterError, code="protocol_mismatch", http_status=409, exit_code=6):
    """The two sides have different versions of the protocol."""


class RegistryUnsafe(GPUClusterError, code="registry_unsafe", http_status=500, exit_code=7):
    """The registry directory does not belong to this user alone, or cannot be made or read."""


class RegistryUnwritable(GPUClusterError, code="registry_unwritable", http_status=507, exit_code=7):
    """Nothing can be written to the registry directory: its disk is full or read-only, or access is denied."""


def refused_field(field: str, message: str) -> InvalidRequest:
    """Return the refusal of one field, by its dotted path.

    `message`: what was wrong and what is allowed, as the end of a sentence without its full stop.
    """
    return InvalidRequest(f"{field}: {message}.", fields=[FieldError(field=field, message=message)])


def _tree(cls: type[GPUClusterError]) -> dict[str, type[GPUClusterError]]:
    """Return classes by code. A class without its own code arrives as its base class."""
    found = {cls.code: cls}
    for child in cls.__subclasses__():
        for code, kind in _tree(child).items():
            found.setdefault(code, kind)
    return found


def error_from_model(model: ErrorModel | dict[str, Any]) -> GPUClusterError:
    """Rebuild the exception that ``GPUClusterError.model`` described; of an unknown code (a newer peer) a plain one."""
    if isinstance(model, dict):
        model = ErrorModel.model_validate(model)
    cls = _tree(GPUClusterError).get(model.code, GPUClusterError)
    return cls(model.message, fields=model.fields)


_SENTENCES = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "must be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    **dict.fromkeys(("model_attributes_type", "model_type", "dict_type"), "must be a JSON object"),
    **dict.fromkeys(("extra_forbidden", "invalid_key"), "is not an option of this request"),
    "finite_number": "must be a finite number",
    "string_type": "must be text",
    "list_type": "must be a list",
    "missing": "is required",
    "json_invalid": "is not valid JSON",
}
_COMPARISONS = {
    "greater_than_equal": ("at least", "ge"), "less_than_equal": ("at most", "le"),
    "greater_than": ("greater than", "gt"), "less_than": ("less than", "lt"),
}  # fmt: skip


def _shown(given: Any) -> str:
    """Return the given value as the end of a sentence, unless it is too long to help."""
    if isinstance(given, (dict, bytes)):
        return ""
    try:
        shown = f", not {given!r}"
    except ValueError:  # Python refuses to write out a number of thousands of digits.
        return ""
    return shown if len(shown) <= 60 else ""


def _named(part: str) -> str:
    """Return a field's name unchanged, or only the beginning of an unreadable one."""
    return part if part.isprintable() and len(part) <= 60 else f"{part[:40]!r}"


def _bound(bound: Any) -> str:
    return f"{bound:.0f}" if isinstance(bound, float) and bound.is_integer() else str(bound)


def _sentence(error: Any) -> str:
    kind, context = error["type"], error.get("ctx") or {}
    given = error.get("input")
    shown = "" if kind in {"missing", "extra_forbidden", "invalid_key", "json_invalid"} else _shown(given)
    if kind == "value_error":
        return str(context.get("error", error["msg"]))
    if kind in _COMPARISONS:
        words, bound = _COMPARISONS[kind]
        return f"must be {words} {_bound(context[bound])}{shown}"
    if kind in {"literal_error", "union_tag_invalid"}:
        allowed = context.get("expected") or context.get("expected_tags")
        return f"must be one of {allowed}{shown if kind == 'literal_error' else ''}"
    if kind == "union_tag_not_found":
        return "is required: it names the kind"
    if kind in {"string_too_short", "too_short"} and context["min_length"] == 1:
        return "must not be empty"
    if kind == "string_too_long":
        return f"must have at most {context['max_length']} characters"
    if kind in _SENTENCES:
        return _SENTENCES[kind] + shown
    return str(error["msg"])


_OF_A_FIELD = re.compile(r"([a-z][a-z0-9]*(?:_[a-z0-9]+)*): ")
"""Beginning of a message of a rule between several fields that concerns one of them."""
_MOST_FAULTS = 100  # In one report: a request with a million of them must not keep a server busy.


def parsed(model: type[M], given: object) -> M:
    """Validate JSON text, or plain data. Raises `InvalidRequest` with a message per field."""
    try:
        return model.model_validate_json(given) if isinstance(given, (bytes, str)) else model.model_validate(given)
    except ValidationError as error:
        raise invalid_request(error) from None


def invalid_request(*errors: ValidationError, prefix: str = "", known: Collection[str] = ()) -> InvalidRequest:
    """Turn pydantic's errors into one message that names fields, faults and what is allowed.

    `prefix`: path to put before each field. `known`: the existing fields, to suggest one for a misspelt name.
    """
    count = sum(error.error_count() for error in errors)
    if count > _MOST_FAULTS:
        fault = FieldError(field=prefix, message=f"has {count} errors, too many to list; shorten it")
        return InvalidRequest(f"{prefix or 'The request'} {fault.message}.", fields=[fault])
    fields = []
    for item in chain.from_iterable(error.errors(include_url=False) for error in errors):
        path = [_named(str(part)) for part in item["loc"]]
        path = [part for part in path if not part.startswith(("function-", "constrained-"))]
        if item["type"] in {"union_tag_not_found", "union_tag_invalid"}:
            path = [*path, str(item.get("ctx", {}).get("discriminator", "kind")).strip("'")]
        message = _sentence(item)
        if not path and item["type"] == "value_error" and (found := _OF_A_FIELD.match(message)):
            # A rule between fields names the field at fault.
            path, message = [found[1]], message[found.end() :]
        if item["type"] == "extra_forbidden" and len(path) == 1:
            near = difflib.get_close_matches(path[0].lower(), known, n=1)
            message += f" (did you mean {near[0]!r}?)" if near else ""
        fields.append(FieldError(field=".".join([*filter(None, [prefix]), *path]), message=message))
    parts = [f"{item.field}: {item.message}" if item.field else item.message for item in fields]
    return InvalidRequest("; ".join(dict.fromkeys(parts)) + ".", fields=fields)
