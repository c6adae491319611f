"""Whether this user may ask for such a cluster now: the site's hours, how many there may be, what is left of a share.

What is refused here leaves nothing behind.
"""

from __future__ import annotations

from datetime import datetime

from ..protocol.errors import NotNow
from ..protocol.plain_text import counted
from ..protocol.spec import SpecBase
from ..registry.store import Registry
from ..site.hours import DAYS, opens_at
from ..site.reading import this_site
from ..site.share import fault_of_request, left_beside
from .expected_use import with_expected
from .gpu_share import fault_of_gpus


def must_be_open(registry: Registry, spec: SpecBase) -> None:
    """Refuse a cluster outside of the site's hours, and more than a user may have.

    Call it while holding ``registry.exclusive``.

    Parameters
    ----------
    registry : Registry
    spec : SpecBase
        What is wanted.

    Raises
    ------
    NotNow
    """
    sharing = this_site().sharing
    moment = datetime.now()  # the site's hours are on this machine's clock
    opening = opens_at(sharing.hours, moment)
    if opening is not None:
        said = ", ".join(each.text for each in sharing.hours)
        raise NotNow(
            f"This site opens again {_when(opening, moment)} (its hours are {said}). Clusters that run go on; "
            "create another one then."
        )
    clusters = registry.list()
    living = sum(not model.state.ended for model in clusters)
    if living >= (most := sharing.per_user.clusters):
        raise NotNow(
            f"You have {counted(living, 'living cluster')}, and each user may have {most} at a time. Stop one first: "
            "'gpucluster list' shows them."
        )
    fault = fault_of_request(spec, left_beside(with_expected(clusters))) or fault_of_gpus(spec, clusters)
    if fault is not None:
        raise NotNow(fault)


def _when(opening: datetime, moment: datetime) -> str:
    clock = opening.strftime("%H:%M")
    days = (opening.date() - moment.date()).days
    if days == 0:
        return f"at {clock}"
    return f"tomorrow at {clock}" if days == 1 else f"on {DAYS[opening.weekday()]} at {clock}"
