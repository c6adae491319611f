"""What a site lets people choose, told while somebody fills in the form: asked of the site, and kept for a moment."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

from ..protocol.errors import FieldError, GPUClusterError
from ..protocol.kinds import find_kind
from ..protocol.models import Notes, Submission
from ..protocol.spec_base import SpecBase

KEPT_SECONDS = 60.0
MOST_KEPT = 50

Preview = Callable[[SpecBase], Awaitable[Submission]]


class Offers:
    """Remembers what sites have answered. A question is a process of its own, so they are asked one after the other."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, Notes]] = {}
        self._asking = asyncio.Lock()

    async def notes(self, spec: SpecBase, preview: Preview) -> Notes | None:
        """Return what the site offers, and what of the request it would refuse; ``None``: such a kind has no site.

        Parameters
        ----------
        spec : SpecBase
            Valid by itself.
        preview : callable
            Asks the site.
        """
        found = find_kind(spec.backend)
        if found is None or found.kind is None or not found.kind.offers:
            return None
        of_every_kind = set(SpecBase.model_fields) - {"backend", "kernel_name"}
        key = spec.model_dump_json(exclude=of_every_kind)
        async with self._asking:
            kept = self._kept.get(key)
            if kept is None or time.monotonic() - kept[0] > KEPT_SECONDS:
                while len(self._kept) >= MOST_KEPT:
                    del self._kept[next(iter(self._kept))]
                self._kept.pop(key, None)
                kept = self._kept[key] = (time.monotonic(), await _asked(spec, preview))
        return kept[1]


async def _asked(spec: SpecBase, preview: Preview) -> Notes:
    try:
        return Notes(notes=(await preview(spec)).notes)
    except GPUClusterError as error:
        fields = [FieldError(field=fault.field, message=fault.message) for fault in error.fields]
        return Notes(notes=[] if fields else [error.message], fields=fields)
