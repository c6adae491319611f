"""What lesson 15 simulates: a server of models, and code without its accelerator."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from .material import TYPES, problems, read_config, versions

# A stand-in for an inference server: it loads a model repository, keeps to its configuration, and answers by HTTP.


BACKEND = "triton_python_backend_utils"
WIRE = {"float32": "FP32", "float64": "FP64", "float16": "FP16", "int64": "INT64", "int32": "INT32", "bool": "BOOL"}
"""Types of NumPy, as the inference protocol writes them."""
_loading = threading.Lock()


class Refused(ValueError):
    """A request does not fit the model, or the model did not answer as its configuration says."""


class Tensor:
    """A named array, as a model of the Python backend gets and gives it."""

    def __init__(self, name: str, array: Any) -> None:
        self._name, self._array = name, array

    def name(self) -> str:
        """Return its name."""
        return self._name

    def as_numpy(self) -> Any:
        """Return the array."""
        return self._array


class InferenceRequest:
    """What a model is asked."""

    def __init__(self, inputs: Sequence[Tensor]) -> None:
        self._inputs = list(inputs)

    def inputs(self) -> list[Tensor]:
        """Return all tensors."""
        return self._inputs


class InferenceResponse:
    """What a model answers."""

    def __init__(self, output_tensors: Sequence[Tensor] = (), error: Any = None) -> None:
        self._outputs, self.fault = list(output_tensors), error

    def output_tensors(self) -> list[Tensor]:
        """Return all tensors."""
        return self._outputs


def _named(tensors: Sequence[Tensor], name: str) -> Tensor | None:
    return next((tensor for tensor in tensors if tensor.name() == name), None)


def _backend_module(folder: Path) -> ModuleType:
    """Return what a model imports as ``triton_python_backend_utils``."""
    module: Any = ModuleType(BACKEND)
    module.Tensor, module.InferenceRequest, module.InferenceResponse = Tensor, InferenceRequest, InferenceResponse
    module.TritonError, module.TritonModelException = str, RuntimeError
    module.get_input_tensor_by_name = lambda request, name: _named(request.inputs(), name)
    module.get_model_dir = lambda: str(folder)
    module.triton_string_to_numpy = lambda name: np.dtype(TYPES[name])
    return module  # type: ignore[no-any-return]


class StandIn:
    """One model of a repository, loaded in its highest version.

    Raises
    ------
    Refused
        The repository is not as it should be; all that is wrong is in the message.
    """

    def __init__(self, repository: Path | str, name: str) -> None:
        wrong = problems(Path(repository))
        if wrong:
            raise Refused(" ".join(wrong))
        folder = Path(repository) / name
        if not folder.is_dir():
            raise Refused(f"There is no model {name}.")
        self.name, self.version = name, versions(folder)[-1]
        self.config = read_config((folder / "config.pbtxt").read_text(encoding="utf-8"))
        if self.config.get("backend") != ["python"]:
            raise Refused("The stand-in runs models of the Python backend only.")
        self._model = self._loaded(folder)

    def _loaded(self, folder: Path) -> Any:
        place = folder / str(self.version)
        spec = spec_from_file_location(f"served_{self.name}_{self.version}", place / "model.py")
        assert spec is not None and spec.loader is not None
        module = module_from_spec(spec)
        with _loading:
            before = sys.modules.get(BACKEND)
            sys.modules[BACKEND] = _backend_module(place)
            try:
                spec.loader.exec_module(module)
            finally:
                sys.modules.pop(BACKEND)
                if before is not None:
                    sys.modules[BACKEND] = before
        model = module.TritonPythonModel()
        if hasattr(model, "initialize"):
            told = {"model_name": self.name, "model_version": str(self.version), "model_repository": str(folder),
                    "model_config": json.dumps(self.config), "model_instance_kind": "CPU",
                    "model_instance_name": self.name, "model_instance_device_id": "0"}  # fmt: skip
            model.initialize(told)
        return model

    def infer(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Ask the model once, and return its outputs by name."""
        return self.infer_together([inputs])[0]

    def infer_together(self, requests: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Give the model several requests at the same time, as a server does that collects them."""
        asked, rows = [], []
        for inputs in requests:
            checked = {name: np.asarray(array) for name, array in inputs.items()}
            rows.append(self._keeps_to("input", checked))
            asked.append(InferenceRequest([Tensor(name, array) for name, array in checked.items()]))
        responses = self._model.execute(asked)
        if len(responses) != len(asked):
            raise Refused(f"The model gave {len(responses)} responses to {len(asked)} requests.")
        found = []
        for response, n_rows in zip(responses, rows, strict=True):
            if response.fault:
                raise Refused(str(response.fault))
            outputs = {tensor.name(): tensor.as_numpy() for tensor in response.output_tensors()}
            if self._keeps_to("output", outputs) != n_rows:
                raise Refused(f"The model did not answer for each of the {n_rows} rows.")
            found.append(outputs)
        return found

    def _keeps_to(self, kind: str, arrays: Mapping[str, Any]) -> int:
        """Compare arrays with the configuration; return the number of rows."""
        largest = self.config["max_batch_size"][-1]
        wanted = {tensor["name"][-1]: tensor for tensor in self.config[kind]}
        if arrays.keys() != wanted.keys():
            raise Refused(f"Of {kind} there is {', '.join(arrays) or 'nothing'}, not {', '.join(wanted)}.")
        rows = {len(array) if largest and array.ndim else 1 for array in arrays.values()}
        for name, tensor in wanted.items():
            array, dims = arrays[name], tensor["dims"]
            shape = array.shape[1:] if largest else array.shape
            fits = len(shape) == len(dims) and all(size in (-1, there) for size, there in zip(dims, shape, strict=True))
            if not fits:
                raise Refused(f"The shape of {kind} {name} is {array.shape}, which does not fit dims {dims}.")
            if array.dtype != np.dtype(TYPES[tensor["data_type"][-1]]):
                raise Refused(f"The type of {kind} {name} is {array.dtype}, not {tensor['data_type'][-1]}.")
        if len(rows) != 1 or (largest and max(rows) > largest):
            raise Refused(f"A batch has {max(rows)} rows; the model takes at most {largest}.")
        return rows.pop()

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        """Answer a request of the inference protocol."""
        types = {wire: kind for kind, wire in WIRE.items()}
        inputs = {
            one["name"]: np.array(one["data"], dtype=types[one["datatype"]]).reshape(one["shape"])
            for one in body["inputs"]
        }
        outputs = [
            {"name": name, "datatype": WIRE[str(array.dtype)], "shape": list(array.shape),
             "data": array.ravel().tolist()}
            for name, array in self.infer(inputs).items()
        ]  # fmt: skip
        return {"model_name": self.name, "model_version": str(self.version), "outputs": outputs}

    @contextmanager
    def serve(self) -> Iterator[str]:
        """Answer by HTTP on this machine alone while the block runs; gives the address."""
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/v2/health/ready":
                    return self._send(200, {"ready": True})
                if self.path == f"/v2/models/{served.name}":
                    return self._send(200, {"name": served.name, "versions": [str(served.version)]})
                return self._send(404, {"error": f"nothing at {self.path}"})

            def do_POST(self) -> None:
                if self.path != f"/v2/models/{served.name}/infer":
                    return self._send(404, {"error": f"nothing at {self.path}"})
                try:
                    body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                    return self._send(200, served.answer(body))
                except (Refused, KeyError, TypeError, ValueError) as error:
                    return self._send(400, {"error": str(error)})

            def _send(self, status: int, body: dict[str, Any]) -> None:
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing: the cell says what it asked."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


# What an accelerator without a change of code does with each call: the fast library, or the slow one.


class FastColumn:
    """The fast library: a column of numbers that can do a few things, and refuses the others."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(f"The fast library has no {name}.")

    def abs(self) -> FastColumn:
        """Return the absolute values."""
        return FastColumn(np.abs(self.values))

    def clip(self, lower: float, upper: float) -> FastColumn:
        """Return the values within two limits."""
        return FastColumn(np.clip(self.values, lower, upper))

    def diff(self) -> FastColumn:
        """Return the differences of neighbours; the first one is missing."""
        return FastColumn(np.diff(self.values, prepend=np.nan))

    def cumsum(self) -> FastColumn:
        """Return the sums so far."""
        return FastColumn(np.cumsum(self.values))

    def mean(self) -> float:
        """Return the mean of what is not missing."""
        return float(np.nanmean(self.values))


@dataclass(frozen=True)
class Call:
    """One call, and what it took.

    Attributes
    ----------
    name : str
        Of the method.
    fast : bool
        Whether the fast library could do it.
    copied : int
        Bytes that had to change sides before.
    """

    name: str
    fast: bool
    copied: int


class Accelerated:
    """A column that looks like pandas', and is in the fast library whenever that can do what is asked.

    Parameters
    ----------
    values : array
        The column; it begins in the fast library.
    """

    def __init__(self, values: Any, calls: list[Call] | None = None) -> None:
        self._held: Any = values if isinstance(values, FastColumn) or hasattr(values, "iloc") else FastColumn(values)
        self.calls: list[Call] = [] if calls is None else calls

    @property
    def is_fast(self) -> bool:
        """Whether the column is in the fast library now."""
        return isinstance(self._held, FastColumn)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            fast = hasattr(FastColumn, name)
            copied = self._nbytes() if fast != self.is_fast else 0
            self._move(to_fast=fast)
            self.calls.append(Call(name, fast, copied))
            result = getattr(self._held, name)(*args, **kwargs)
            wrapped = isinstance(result, FastColumn) or hasattr(result, "iloc")
            return Accelerated(result, self.calls) if wrapped else result

        return call

    def _nbytes(self) -> int:
        return int(self._held.values.nbytes)

    def _move(self, *, to_fast: bool) -> None:
        if to_fast == self.is_fast:
            return
        import pandas as pd

        self._held = FastColumn(np.array(self._held)) if to_fast else pd.Series(self._held.values.copy())
