"""A cluster's card as HTML, and its progress as a line in a terminal or notebook."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any, TextIO
from uuid import uuid4

from ...protocol.kinds import kind_title
from ...protocol.messages import MessageCode
from ...protocol.models import ClusterModel, Network
from ...protocol.plain_text import counted
from ...protocol.sizes import format_size
from .presentation import presentation

if TYPE_CHECKING:
    from ..handle import ClusterHandle

_NETWORK = {
    Network.UNIX: "sockets in a private folder, only you can connect",
    Network.TLS: "encrypted, only you can connect",
    Network.OPEN: "not encrypted: anyone who can reach this address can run code as you",
}
_COLOURS = {"running": "#2e7d32", "failed": "#c62828", "stopped": "#757575"}


def pending_text(model: ClusterModel) -> str:
    """Return the number of pending workers and, if known, the reason."""
    if model.waiting is not None:
        return model.waiting
    return f"{model.n_pending}. {model.pending_reason}" if model.pending_reason else str(model.n_pending)


def network_text(model: ClusterModel) -> str:
    """Describe encryption and access of the network. Data between MPI ranks goes through no port."""
    if getattr(model.spec, "protocol", None) == "mpi":
        return "encrypted, but not between ranks; only you can connect"
    return _NETWORK[model.network]


def cost_text(model: ClusterModel) -> str | None:
    """Return the cost of the cluster until now or its end; ``None``: its site names no costs."""
    if model.cost is None:
        return None
    until = datetime.fromisoformat(model.ended_at) if model.ended_at else datetime.now(UTC)
    # A running sum begins at 0.00, without digits that change each second.
    return amount_text(round(model.cost.until(until), 2), model.cost.unit) + ("" if model.state.ended else " so far")


def amount_text(amount: float, unit: str) -> str:
    """Return an amount with two significant digits, and its unit."""
    amount = float(f"{amount:.2g}")
    if 0 < amount < 0.01:
        return f"{amount:g} {unit}"
    return f"{amount:,.{0 if amount >= 10 else 2 if amount < 1 else 1}f} {unit}"


def card_html(model: ClusterModel, link: str | None, *, body: str = "", brief: bool = False) -> str:
    """Return the card of one cluster, readable on light and dark backgrounds."""
    state = model.state.value
    kind = f"{model.backend_title or kind_title(model.backend)} workers"
    limits = {worker.memory_limit_bytes for worker in model.workers}
    memory = limits.pop() if len(limits) == 1 else None
    threads = sum(worker.n_threads for worker in model.workers)
    each = f", {format_size(memory)} each" if memory else ""
    alive, full = not model.state.ended, not brief
    network = f"{model.scheduler_address} ({network_text(model)})" if model.scheduler_address else ""
    rows = [
        ("Kind", f"{kind}. {model.backend_reason or ''}".strip(". ") + "." if full else ""),
        ("Workers", f"{model.n_workers} ({counted(threads, 'thread')}){each}" if alive else ""),
        ("Lease", f"of a {model.lease.scope}: ends with it" if model.lease is not None and full else ""),
        ("Pending", pending_text(model) if model.n_pending and alive else ""),
        ("Cost", cost_text(model)),
        ("Scheduler", network if full else ""),
        ("Note", model.notice or model.reason),
    ]
    if alive:
        rows += [("Warning", warning) for warning in model.warnings]
        rows += [("Note", note) for note in model.notes]
        messages = model.said(MessageCode.MESSAGE)[-3:]
        rows += [(f"From {message.subject}, instructor", message.text) for message in messages]
    cells = [(name, escape(value)) for name, value in rows if value]
    if link is not None:
        target = f'href="{escape(link)}" target="_blank" rel="noopener" style="color:inherit"'
        cells.append(("Dashboard", f"<a {target}>open</a>"))
    table = "".join(
        f'<tr><th style="text-align:left;padding:2px 12px 2px 0">{escape(name)}</th>'
        f'<td style="text-align:left;padding:2px 0">{html}</td></tr>'
        for name, html in cells
    )
    colour = _COLOURS.get(state, "#b26a00")
    return (
        '<div style="border-left:4px solid #76b900;padding:4px 12px;font-size:13px">'
        f'<div><b style="font-size:1.1em">{escape(model.name)}</b> '
        f'<span style="background:{colour};color:#fff;border-radius:8px;padding:1px 8px">{escape(state)}</span></div>'
        f'<table style="border:none;margin:4px 0 0 0;color:inherit;font-size:inherit">{table}</table>{body}</div>'
    )


def progress_line(model: ClusterModel) -> str:
    """Describe briefly what the cluster is doing."""
    if model.progress is None:
        return f"{model.name}: {model.state.value}"
    step = model.progress
    count = f" {step.done} of {step.total}" if step.done is not None and step.total is not None else ""
    return f"{model.name}: {step.message}{count}"


class TerminalProgress(AbstractContextManager["TerminalProgress"]):
    """Shows progress in one line of a terminal, cleared afterwards. Writes nothing if the stream is not a terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()

    def __call__(self, model: ClusterModel) -> None:
        self.say(progress_line(model))

    def say(self, text: str) -> None:
        if self.live:
            self.stream.write(f"\r\x1b[K{text}…")
            self.stream.flush()

    def clear(self) -> None:
        if self.live:
            self.stream.write("\r\x1b[K")
            self.stream.flush()

    def __exit__(self, *_: object) -> None:
        self.clear()


class LiveText(AbstractContextManager["LiveText"]):
    """Shows what a cluster is doing: an updated output in a notebook, else the last line of the terminal.

    A context manager: the text is cleared after the block, unless a card has replaced it.
    """

    def __init__(self, *, notebook: bool) -> None:
        self._terminal = None if notebook else TerminalProgress()
        self._id = uuid4().hex
        self._text = ""

    def __exit__(self, *_: object) -> None:
        self.clear()

    def __call__(self, model: ClusterModel) -> None:
        self.say(progress_line(model))

    def say(self, text: str) -> None:
        if text == self._text:
            return
        if self._terminal is not None:
            self._terminal.say(text)
        else:
            self._show({"text/plain": f"{text} …"})
        self._text = text

    def replace(self, cluster: ClusterHandle) -> None:
        """Show the card of a cluster instead."""
        if self._terminal is None:
            self._show(presentation().card_bundle(cluster, self._id))
            self._text = ""
            return
        from IPython.display import display

        self.clear()
        display(cluster)  # type: ignore[no-untyped-call]

    def clear(self) -> None:
        if self._text:
            if self._terminal is not None:
                self._terminal.clear()
            else:
                self._show({"text/plain": ""})
        self._text = ""

    def _show(self, bundle: dict[str, Any]) -> None:
        from IPython.display import display, update_display

        show = update_display if self._text else display
        show(bundle, display_id=self._id, raw=True)  # type: ignore[no-untyped-call]
