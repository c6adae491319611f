"""The model repository of an inference server: is the layout right, and what does its configuration say?

Rules of Triton Inference Server, from its documentation of model repositories and configurations. This is no part of
Triton: it looks at what can be seen without the server.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

TYPES = {"TYPE_BOOL": "bool", "TYPE_UINT8": "uint8", "TYPE_UINT16": "uint16", "TYPE_UINT32": "uint32",
         "TYPE_UINT64": "uint64", "TYPE_INT8": "int8", "TYPE_INT16": "int16", "TYPE_INT32": "int32",
         "TYPE_INT64": "int64", "TYPE_FP16": "float16", "TYPE_FP32": "float32", "TYPE_FP64": "float64",
         "TYPE_STRING": "object"}  # fmt: skip
"""Types of tensors in a configuration, and of NumPy."""

KNOWN = {"name", "platform", "backend", "runtime", "version_policy", "max_batch_size", "input", "output", "batch_input",
         "batch_output", "optimization", "dynamic_batching", "sequence_batching", "ensemble_scheduling",
         "instance_group", "default_model_filename", "cc_model_filenames", "metric_tags", "parameters", "model_warmup",
         "model_operations", "model_transaction_policy", "model_repository_agents", "response_cache"}  # fmt: skip
"""Fields of a model configuration."""

_TOKEN = re.compile(r'\s+|#[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|[{}\[\]:,;<>]|[^\s{}\[\]:,;<>"\'#]+')


class NotReadable(ValueError):
    """A text is no configuration."""


def read_config(text: str) -> dict[str, list[Any]]:
    """Read a configuration in the text format of protocol buffers.

    Returns
    -------
    dict
        Each field with the list of all its values; a message is a dictionary of the same kind.

    Raises
    ------
    NotReadable
        With a sentence that says where.
    """
    tokens, place = [], 0
    while place < len(text):
        found = _TOKEN.match(text, place)
        if found is None:
            raise NotReadable(f"line {text.count(chr(10), 0, place) + 1}: a text has no closing quote.")
        if not found[0][0].isspace() and found[0][0] != "#":
            tokens.append((found[0], text.count("\n", 0, place) + 1))
        place = found.end()
    tokens.append(("", text.count("\n") + 1))
    return _message(tokens, 0, "")[0]


def _message(tokens: list[tuple[str, int]], place: int, closing: str) -> tuple[dict[str, list[Any]], int]:
    fields: dict[str, list[Any]] = {}
    while tokens[place][0] not in ("", "}", "]", ">"):
        name, line = tokens[place]
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise NotReadable(f"line {line}: {name} is no name of a field.")
        place += 1
        colon = tokens[place][0] == ":"
        place += colon
        if not colon and tokens[place][0] not in ("{", "["):
            raise NotReadable(f"line {line}: after {name} there is no colon.")
        values, place = _values(tokens, place)
        fields.setdefault(name, []).extend(values)
        place += tokens[place][0] in (",", ";")
    found, line = tokens[place]
    if found != closing:
        raise NotReadable(f"line {line}: {f'{closing} is missing' if closing else f'{found} closes nothing'}.")
    return fields, place


def _values(tokens: list[tuple[str, int]], place: int) -> tuple[list[Any], int]:
    word, line = tokens[place]
    if word == "{":
        message, place = _message(tokens, place + 1, "}")
        return [message], place + 1
    if word == "[":
        values: list[Any] = []
        place += 1
        while tokens[place][0] != "]":
            more, place = _values(tokens, place)
            values += more
            if tokens[place][0] not in (",", "]"):
                raise NotReadable(f"line {tokens[place][1]}: between two parts of a list there is no comma.")
            place += tokens[place][0] == ","
        return values, place + 1
    if word[:1] in ('"', "'"):
        return [word[1:-1]], place + 1
    if not re.fullmatch(r"[-+.\w]+", word):
        raise NotReadable(f"line {line}: a value is missing before {word or 'the end'}.")
    return [int(word) if re.fullmatch(r"-?\d+", word) else word], place + 1


def problems(repository: Path) -> list[str]:
    """Return what is wrong with a model repository, as sentences; empty where nothing is."""
    models = sorted(path for path in repository.iterdir() if path.is_dir()) if repository.is_dir() else []
    if not models:
        return ["The repository has no folder of a model."]
    return [f"{model.name}: {sentence}" for model in models for sentence in _of_model(model)]


def versions(model: Path) -> list[int]:
    """Return the versions of a model: folders whose names are whole numbers without a zero before them."""
    return sorted(int(path.name) for path in model.iterdir() if path.is_dir() and re.fullmatch(r"[1-9]\d*", path.name))


def _of_model(model: Path) -> list[str]:
    file = model / "config.pbtxt"
    if not file.is_file():
        return ["there is no file config.pbtxt."]
    try:
        config = read_config(file.read_text(encoding="utf-8"))
    except (NotReadable, UnicodeDecodeError) as error:
        return [f"config.pbtxt cannot be read: {error}"]
    found = [f"a model configuration has no field {name}." for name in config if name not in KNOWN]
    if config.get("name", [model.name]) != [model.name]:
        found.append(f"the name in its configuration is {config['name'][-1]!r}, not that of its folder.")
    if not config.get("backend") and not config.get("platform"):
        found.append("its configuration names no backend and no platform.")
    if not all(type(size) is int and size >= 0 for size in config.get("max_batch_size", ["missing"])):
        found.append("max_batch_size is not a whole number, 0 or more.")
    for kind in ("input", "output"):
        found += _of_tensors(kind, config.get(kind, []))
    if not versions(model):
        found.append("there is no folder of a version, such as 1.")
    found += [sentence for version in versions(model) for sentence in _of_data(model / str(version))]
    if config.get("backend") == ["python"]:
        found += [sentence for version in versions(model) for sentence in _of_program(model / str(version))]
    return found


def _of_tensors(kind: str, tensors: list[Any]) -> list[str]:
    if not tensors or not all(isinstance(tensor, dict) for tensor in tensors):
        return [f"there is no {kind}."]
    found = []
    names = [tensor.get("name", [""])[-1] for tensor in tensors]
    if "" in names or len(set(names)) != len(names):
        found.append(f"each {kind} needs a name of its own.")
    for name, tensor in zip(names, tensors, strict=True):
        if tensor.get("data_type", [""])[-1] not in TYPES:
            found.append(f"the data_type of {kind} {name} is none of TYPE_FP32, TYPE_INT64, ….")
        dims = tensor.get("dims", [])
        if not dims or not all(type(size) is int and (size > 0 or size == -1) for size in dims):
            found.append(f"the dims of {kind} {name} are not whole numbers above 0, or -1 for any.")
    return found


def _of_data(version: Path) -> list[str]:
    found = []
    for file in sorted(version.glob("*.json")):
        try:
            json.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            found.append(f"{file.name} of version {version.name} is no JSON: {error}.")
    return found


def _of_program(version: Path) -> list[str]:
    file = version / "model.py"
    if not file.is_file():
        return [f"version {version.name} has no model.py, which the Python backend looks for."]
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        return [f"model.py of version {version.name} is no Python: {error}"]
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if "TritonPythonModel" not in classes:
        return [f"model.py of version {version.name} has no class TritonPythonModel."]
    methods = {node.name for node in classes["TritonPythonModel"].body if isinstance(node, ast.FunctionDef)}
    return [] if "execute" in methods else [f"TritonPythonModel of version {version.name} has no method execute."]
