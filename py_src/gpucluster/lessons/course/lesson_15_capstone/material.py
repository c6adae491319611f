"""What lesson 15 works on: boosting, and a repository of models."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...material.conversion import as_numpy

# The model repository of an inference server: is the layout right, and what does its configuration say?


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
            raise NotReadable(f"line {text.count(chr(10), 0, place) + 1}: a string has no closing quote.")
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
            raise NotReadable(f"line {line}: {name} is not a field name.")
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
                raise NotReadable(f"line {tokens[place][1]}: a comma is missing between two items of a list.")
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
        return ["config.pbtxt does not exist."]
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
        found.append(f"each {kind} needs its own name.")
    for name, tensor in zip(names, tensors, strict=True):
        if tensor.get("data_type", [""])[-1] not in TYPES:
            found.append(f"the data_type of {kind} {name} is not one of TYPE_FP32, TYPE_INT64, ….")
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
            found.append(f"{file.name} of version {version.name} is not JSON: {error}.")
    return found


def _of_program(version: Path) -> list[str]:
    file = version / "model.py"
    if not file.is_file():
        return [f"version {version.name} has no model.py, which the Python backend looks for."]
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, ValueError) as error:
        return [f"model.py of version {version.name} is not valid Python: {error}"]
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if "TritonPythonModel" not in classes:
        return [f"model.py of version {version.name} has no class TritonPythonModel."]
    methods = {node.name for node in classes["TritonPythonModel"].body if isinstance(node, ast.FunctionDef)}
    return [] if "execute" in methods else [f"TritonPythonModel of version {version.name} has no method execute."]


# The program of a served model: what the Python backend of an inference server runs for the model of lesson 15.


PROGRAM = '''"""Chance of a late departure: a logistic model from model.json, in the folder of this file."""

import json
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        """Read the model once, when the server loads this version."""
        model = json.loads((Path(__file__).parent / "model.json").read_text())
        self.mean, self.scale, self.weights = (np.array(model[name]) for name in ("mean", "scale", "weights"))
        self.intercept = model["intercept"]

    def execute(self, requests):
        """Answer several requests, each with its own response, in their order."""
        responses = []
        for request in requests:
            rows = pb_utils.get_input_tensor_by_name(request, "FEATURES").as_numpy()
            z = ((rows - self.mean) / self.scale) @ self.weights + self.intercept
            chance = (1 / (1 + np.exp(-z))).astype(np.float32).reshape(-1, 1)
            responses.append(pb_utils.InferenceResponse(output_tensors=[pb_utils.Tensor("CHANCE", chance)]))
        return responses
'''
"""``model.py`` of a version. Beside it lies ``model.json`` with the numbers."""


# Boosted trees on blocks of rows: histograms of gradients are added up over all ranks, and the rows stay in place.


Floats = NDArray[np.float64]
BestSplit = Callable[[Floats, Floats, float], tuple[int, int, float]]


@dataclass(frozen=True)
class BoostedTrees:
    """A fitted model.

    Attributes
    ----------
    edges : list of array
        The edges between the bins of each feature.
    base : float
        Log odds of all rows, before the first tree.
    trees : list of tuple
        For each tree the features and the bins of its splits, level by level, and the values of its leaves.
    losses : list of float
        Mean log loss before each tree and after the last one.
    sent_bytes : int
        Size of all histograms that one rank gave away.
    """

    edges: list[Floats]
    base: float
    trees: list[tuple[list[NDArray[np.int64]], list[NDArray[np.int64]], Floats]]
    losses: list[float]
    sent_bytes: int

    def chance(self, X: Any) -> Any:
        """Return the chance of class 1 for each row of an array of shape (n_rows, n_features)."""
        codes = bin_codes(X, self.edges)
        margin = np.full_like(codes[:, 0], self.base, dtype=float)
        for features, bins, values in self.trees:
            margin += np.asarray(values, like=codes)[_walk(codes, features, bins)]
        return 1 / (1 + np.exp(-margin))


def bin_codes(X: Any, edges: Sequence[Floats]) -> Any:
    """Return for each number in which bin of its feature it is: how many edges are not above it."""
    columns = [np.searchsorted(np.asarray(edge, like=X), X[:, place], side="right") for place, edge in enumerate(edges)]
    return np.stack(columns, axis=1)


def boost(
    shard: Any, *, edges: list[Floats], best_split: BestSplit, rounds: int = 20, depth: int = 3, rate: float = 0.3,
    penalty: float = 1.0,
) -> BoostedTrees:  # fmt: skip
    """Fit on the blocks of all ranks; call it by ``learn.run_on_ranks``. Each rank returns the same model.

    Parameters
    ----------
    shard : Shard
        Blocks with ``X`` of shape (n_rows, n_features), without missing numbers, and ``y`` of 0 and 1.
    edges : list of array
        Edges between the bins of each feature.
    best_split : callable
        Called as ``best_split(gradients, hessians, penalty)`` with two arrays of shape (n_features, n_bins).
    rounds, depth, rate, penalty
        Number of trees, their levels, the share of each tree that is added, and what is added to each sum of hessians.
    """
    n_bins = max(len(edge) for edge in edges) + 1
    codes = [bin_codes(block.X, edges) for block in shard.blocks]
    targets = [block.y.astype(float) for block in shard.blocks]
    count, late = _summed(shard, [np.array([len(y), float(y.sum())]) for y in targets], 2)
    base = float(np.log(late / (count - late)))
    margins = [np.full_like(y, base) for y in targets]
    sent, trees, losses = 0, [], [_loss(shard, margins, targets, count)]
    for _ in range(rounds):
        chances = [1 / (1 + np.exp(-margin)) for margin in margins]
        slopes = [(chance - y, chance * (1 - chance)) for chance, y in zip(chances, targets, strict=True)]
        nodes = [np.zeros(len(y), dtype=np.int64, like=y) for y in targets]
        features: list[NDArray[np.int64]] = []
        bins: list[NDArray[np.int64]] = []
        for level in range(depth):
            shape = (2, 2**level, len(edges), n_bins)
            mine = [_histogram(*part, shape) for part in zip(codes, nodes, slopes, strict=True)]
            gradients, hessians = _summed(shard, mine, shape)
            sent += int(gradients.nbytes + hessians.nbytes)
            splits = [best_split(gradients[node], hessians[node], penalty) for node in range(2**level)]
            features.append(np.array([int(feature) for feature, _, _ in splits]))
            bins.append(np.array([int(place) for _, place, _ in splits]))
            nodes = [_step(*part, features[-1], bins[-1]) for part in zip(codes, nodes, strict=True)]
        sums = _summed(shard, [_leaves(*part, 2**depth) for part in zip(nodes, slopes, strict=True)], (2, 2**depth))
        values = -rate * sums[0] / (sums[1] + penalty)
        margins = [margin + np.asarray(values, like=margin)[node] for margin, node in zip(margins, nodes, strict=True)]
        trees.append((features, bins, values))
        losses.append(_loss(shard, margins, targets, count))
    return BoostedTrees(edges, base, trees, losses, sent)


def _histogram(codes: Any, nodes: Any, slopes: tuple[Any, Any], shape: tuple[int, ...]) -> Floats:
    """Return the sums of gradients and hessians of one block, by node, feature and bin."""
    _, n_nodes, n_features, n_bins = shape
    found = np.empty(shape)
    for feature in range(n_features):
        place = nodes * n_bins + codes[:, feature]
        for which, slope in enumerate(slopes):
            sums = np.bincount(place, weights=slope, minlength=n_nodes * n_bins)
            found[which, :, feature] = as_numpy(sums).reshape(n_nodes, n_bins)
    return found


def _leaves(nodes: Any, slopes: tuple[Any, Any], n_leaves: int) -> Floats:
    return np.stack([as_numpy(np.bincount(nodes, weights=slope, minlength=n_leaves)) for slope in slopes])


def _summed(shard: Any, mine: Sequence[Floats], shape: int | tuple[int, ...]) -> Floats:
    """Add up the blocks of this rank, and then all ranks: one allreduce. A rank may have no block."""
    total: Floats = np.zeros(shape)
    for one in mine:
        total = total + one
    return np.asarray(shard.communicator.allreduce(total))


def _step(codes: Any, nodes: Any, features: NDArray[np.int64], bins: NDArray[np.int64]) -> Any:
    """Send each row one level down: right, where its bin is above that of the split."""
    chosen = codes[np.arange(len(codes), like=codes), np.asarray(features, like=codes)[nodes]]
    return 2 * nodes + (chosen > np.asarray(bins, like=codes)[nodes])


def _walk(codes: Any, features: list[NDArray[np.int64]], bins: list[NDArray[np.int64]]) -> Any:
    nodes = np.zeros(len(codes), dtype=np.int64, like=codes)
    for level, chosen in enumerate(features):
        nodes = _step(codes, nodes, chosen, bins[level])
    return nodes


def _loss(shard: Any, margins: list[Any], targets: list[Any], count: float) -> float:
    mine = [
        np.array([float((np.logaddexp(0, margin) - y * margin).sum())])
        for margin, y in zip(margins, targets, strict=True)
    ]
    return float(_summed(shard, mine, 1)[0] / count)
