"""What a cluster costs while it runs, as its site counts."""

from __future__ import annotations

import time

from ...protocol.models import Cost
from ...registry.moments import now
from ...site.model import Costs


class CostMeter:
    """Adds up what connected workers cost, on a clock that nobody can set.

    Parameters
    ----------
    costs : Costs
        The site's rates for this kind of cluster.
    """

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self._since = time.monotonic()
        self._cost = Cost(unit=costs.unit, amount=0.0, per_hour=0.0, at=now())

    def saw(self, *, gpus: int, cores: int, nodes: int) -> Cost:
        """Note what it has now; returns the same object as long as that costs the same."""
        return self._at(self._costs.per_hour(gpus=gpus, cores=cores, nodes=nodes))

    def end(self) -> Cost:
        """Note that it has nothing any more."""
        return self._at(0.0)

    def _at(self, per_hour: float) -> Cost:
        if per_hour != self._cost.per_hour:
            clock = time.monotonic()
            amount = self._cost.amount + self._cost.per_hour * (clock - self._since) / 3600
            self._since = clock
            self._cost = Cost(unit=self._cost.unit, amount=amount, per_hour=per_hour, at=now())
        return self._cost
