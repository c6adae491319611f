"""Clusters over REST: list, create, change, stop, logs, history, links, and what batch systems offer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from jupyter_server.utils import url_path_join

from ..client.history.reading import compare_history, read_history
from ..client.links import FORBIDDEN
from ..client.starting.capacity import bounded_spec, checked_spec, demand_of
from ..protocol.cells import History
from ..protocol.errors import FieldError, GPUClusterError, InvalidRequest, LinkRefused, parsed, refused_field
from ..protocol.kinds import find_kind
from ..protocol.links import NewLink, parse_link_request
from ..protocol.models import ClusterList, ClusterModel, Notes, ResultsReleased, Submission
from ..protocol.plain_text import printable
from ..protocol.spec import parse_patch
from ..protocol.spec_base import SpecBase
from ..protocol.verbs import Verb
from .api import ClusterAPIHandler

KEPT_SECONDS = 60.0
MOST_KEPT = 50

Preview = Callable[[SpecBase], Awaitable[Submission]]


class Offers:
    """Cache of previews. Each preview runs a process, so they run one after the other."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, Notes]] = {}
        self._asking = asyncio.Lock()

    async def notes(self, spec: SpecBase, preview: Preview) -> Notes | None:
        """Return what the batch system offers, and the fields it would refuse; ``None``: the kind has no preview."""
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


class RequestHandler(ClusterAPIHandler):
    """Base of handlers that take a request for a cluster."""

    directory: str

    async def narrowed(self, requested: Any) -> SpecBase:
        """Return a request narrowed by this site; raises all faults at once."""
        return await asyncio.to_thread(bounded_spec, checked_spec(requested))


class ClustersHandler(RequestHandler):
    polled = True

    async def get(self) -> None:
        self.standby.listed()
        self.answer(ClusterList(clusters=await self.control.list()))

    async def post(self) -> None:
        model = await self.create(self.body())
        self.set_header("Location", url_path_join(self.base_url, "gpucluster/api/clusters", model.id))
        self.answer(model, 201)

    async def create(self, requested: Any) -> ClusterModel:
        model = await self.control.create(await self.narrowed(requested), cwd=self.directory)
        self.standby.taken()
        return model


class NotesHandler(RequestHandler):
    offers: Offers
    lifetime: str | None  # What ends clusters together with this server.

    async def post(self) -> None:
        body = self.body()
        try:
            self.answer(await self._notes(body))
        except InvalidRequest as error:
            self.answer(_notes_on(error))

    async def _notes(self, body: bytes) -> Notes:
        spec = await self.narrowed(body)
        notes = await self.control.notes(spec)
        if self.lifetime is not None:
            notes.append(self.lifetime)
        found = find_kind(spec.backend)
        kind = found.kind if found is not None else None
        if kind is not None and (faults := await asyncio.to_thread(kind.faults, spec)):
            return Notes(notes=[], fields=faults)
        offered = await self.offers.notes(spec, self.control.preview)
        if offered is not None:
            return Notes(notes=notes + offered.notes, fields=offered.fields)
        return Notes(notes=notes, demand=await asyncio.to_thread(demand_of, spec))


def _notes_on(error: InvalidRequest) -> Notes:
    """Return the refused fields, which are the answer. Raises an error that concerns no field."""
    if not error.fields:
        raise error
    return Notes(notes=[], fields=error.fields)


class PreviewHandler(RequestHandler):
    async def post(self) -> None:
        self.answer(await self.control.preview(await self.narrowed(self.body())))


class ClusterHandler(ClusterAPIHandler):
    async def get(self, cluster: str) -> None:
        self.answer(await self.control.get(cluster))

    async def patch(self, cluster: str) -> None:
        # A missing cluster is reported before a wrong body.
        model = await self.control.get(cluster)
        patch = parse_patch(self.body())
        self.answer(await self.control.patch(model.id, patch))

    async def delete(self, cluster: str) -> None:
        """Stop a running cluster, or remove an ended one from the list. ``only`` restricts this to one of the two."""
        only = self.get_query_argument("only", None)
        if only not in {None, "stop", "remove"}:
            raise refused_field("only", f"must be 'stop' or 'remove', not {printable(only, 40)!r}")
        model = await self.control.get(cluster)
        if only == "remove" or (only is None and model.state.ended):
            await self.control.remove(model.id)
            self.answer(model)
        elif model.state.ended:
            self.answer(model)  # It has ended meanwhile; keep it so that users see why.
        else:
            self.answer(await self.control.stop(model.id, wait=False))


class PatchNotesHandler(ClusterAPIHandler):
    async def post(self, cluster: str) -> None:
        model = await self.control.get(cluster)
        body = self.body()
        try:
            patch = parse_patch(body)
            self.answer(Notes(notes=await self.control.patch_notes(model.id, patch)))
        except InvalidRequest as error:
            self.answer(_notes_on(error))


class VerbHandler(ClusterAPIHandler):
    verb: Verb

    async def post(self, cluster: str, *named: str) -> None:
        self.answer(await getattr(self.control, self.verb)(cluster, *named, wait=False))


class HistoryHandler(ClusterAPIHandler):
    polled = True

    async def get(self) -> None:
        work, lines = self.get_query_argument("work", None), self.whole_number("lines", 200, minimum=1, maximum=10_000)
        found = await asyncio.to_thread(read_history, self.control.registry, work)
        self.answer(History(cells=found.cells[-lines:]))


class CompareHandler(ClusterAPIHandler):
    async def get(self) -> None:
        first, second = (self.get_query_argument(name, "") for name in ("first", "second"))
        self.answer(await asyncio.to_thread(compare_history, self.control.registry, first, second))


class ReleaseHandler(ClusterAPIHandler):
    async def post(self, cluster: str) -> None:
        self.answer(await self.control.release_results(cluster, parsed(ResultsReleased, self.body())))


class CellsHandler(ClusterAPIHandler):
    """What cells computed: all, or those of one kernel, or one run of a cell."""

    async def get(self, cluster: str) -> None:
        found = await self.control.cells(cluster)
        kernel, run = self.get_query_argument("kernel", None), self.get_query_argument("run", None)
        cells = [cell for cell in found.cells if kernel in {None, cell.kernel} and run in {None, cell.id}]
        self.answer(found.model_copy(update={"cells": cells}))


class LogsHandler(ClusterAPIHandler):
    async def get(self, cluster: str) -> None:
        lines = self.whole_number("lines", 200, minimum=1, maximum=10_000)
        self.answer(await self.control.logs(cluster, lines=lines))


class LinksHandler(ClusterAPIHandler):
    allowed: bool

    async def get(self, cluster: str) -> None:
        self.answer(await self.control.links(cluster))

    async def post(self, cluster: str) -> None:
        model = await self.control.get(cluster)
        request = parse_link_request(self.body())
        if not self.allowed:
            raise LinkRefused(FORBIDDEN.replace("This site", "This Jupyter server"))
        made = await self.control.share(model.id, hours=request.hours, tasks=request.tasks, public=request.public)
        self.set_header("Cache-Control", "no-store")
        self.answer(NewLink(link=made.link, path=made.path), 201)  # The page knows its server's address.

    async def delete(self, cluster: str) -> None:
        self.answer(await self.control.withdraw(cluster))


class LinkHandler(ClusterAPIHandler):
    async def delete(self, cluster: str, link: str) -> None:
        self.answer(await self.control.withdraw(cluster, link))
