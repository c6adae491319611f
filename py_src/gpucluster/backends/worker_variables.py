"""The environment variables that users set for the workers. The process that starts workers keeps them, unset."""

from __future__ import annotations

import json
import os
from collections.abc import MutableMapping

from ..protocol.version import GIVEN_VARIABLES

_given: dict[str, str] = {}


def take_given(environment: MutableMapping[str, str] = os.environ) -> None:
    """Remove them from an environment, and keep them for the workers."""
    packed = environment.pop(GIVEN_VARIABLES, None)
    _given.clear()
    if packed is not None:
        _given.update(json.loads(packed))


def given_variables() -> dict[str, str]:
    """Return those that are not set in this process."""
    return dict(_given)
