"""The program of a served model: what the Python backend of an inference server runs for the model of lesson 15."""

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
        """Answer several requests, each with a response of its own, in their order."""
        responses = []
        for request in requests:
            rows = pb_utils.get_input_tensor_by_name(request, "FEATURES").as_numpy()
            z = ((rows - self.mean) / self.scale) @ self.weights + self.intercept
            chance = (1 / (1 + np.exp(-z))).astype(np.float32).reshape(-1, 1)
            responses.append(pb_utils.InferenceResponse(output_tensors=[pb_utils.Tensor("CHANCE", chance)]))
        return responses
'''
"""``model.py`` of a version. Beside it lies ``model.json`` with the numbers."""
