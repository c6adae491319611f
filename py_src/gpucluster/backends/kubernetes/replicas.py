"""How many workers the operator is told to have: the number in its worker group."""

from __future__ import annotations

import json
import logging
import time
from typing import Any

from .api import DASK, MERGE, Kubernetes, KubernetesRefused

logger = logging.getLogger("gpucluster.backends")

UNHEARD_SECONDS = 15.0
"""An operator that has not noted a number for so long is told again."""
_NOTED = "kopf.zalando.org/last-handled-configuration"
"""What the operator's framework has acted on last."""


class Replicas:
    """The number of one worker group.

    The operator acts when the number changes, and makes as many deployments as are missing then. It replaces none that
    somebody deletes. Two changes in quick succession may be one for it.

    Parameters
    ----------
    kubernetes : Kubernetes
    cluster : str
        Name of the ``DaskCluster``.
    wanted : int
        Workers that it was made with.
    """

    def __init__(self, kubernetes: Kubernetes, cluster: str, wanted: int) -> None:
        self._kubernetes = kubernetes
        self._path = f"daskworkergroups/{cluster}-default"
        self.wanted = wanted
        self._changed = time.monotonic()

    def want(self, n: int) -> None:
        """Have so many from now on; ``settle`` tells the operator."""
        if n != self.wanted:
            self.wanted, self._changed = n, time.monotonic()

    async def settle(self, there: int) -> None:
        """Tell the operator what brings the number of deployments to what is wanted.

        Parameters
        ----------
        there : int
            Deployments that there are, without those that were deleted.
        """
        try:
            group = await self._kubernetes.ask("GET", self._path, version=DASK)
        except KubernetesRefused as error:
            if error.absent:
                return  # The operator has not made it yet, or somebody has deleted the cluster.
            raise
        asked = int(group["spec"]["worker"].get("replicas") or 0)
        if there >= self.wanted:
            # Fewer only where they are gone already: the operator chooses none.
            if asked != self.wanted and there == self.wanted:
                await self._tell(self.wanted)
        elif asked != self.wanted:
            # What it has not acted on yet would be one change with this one, and perhaps none.
            if self._unheard() or (asked <= there and self._has_noted(group, asked)):
                await self._tell(self.wanted)
        elif self._has_noted(group, asked) and self._unheard():
            # It has acted on this number, and yet some are missing: only another number makes it act again.
            logger.info("The operator has made %d of %d workers; it is told again", there, self.wanted)
            await self._tell(there)

    def _unheard(self) -> bool:
        return time.monotonic() - self._changed > UNHEARD_SECONDS

    @staticmethod
    def _has_noted(group: dict[str, Any], asked: int) -> bool:
        told = group["metadata"].get("annotations", {}).get(_NOTED)
        try:
            return told is None or json.loads(told)["spec"]["worker"].get("replicas") == asked
        except (ValueError, KeyError, TypeError, AttributeError):
            return True

    async def _tell(self, n: int) -> None:
        self._changed = time.monotonic()
        body = {"spec": {"worker": {"replicas": n}}}
        await self._kubernetes.ask("PATCH", self._path, version=DASK, body=body, headers=MERGE)
