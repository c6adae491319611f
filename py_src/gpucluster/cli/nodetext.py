"""Who has which GPU, as text for people."""

from __future__ import annotations

from ..gauges.units import duration_text
from ..protocol.node import NodeModel, SharedDevice, SlotHolder
from ..protocol.plaintext import counted
from .tables import one_line, seconds_since, table


def node_text(node: NodeModel) -> str:
    """Return who has what, one a line, and the line."""
    rows: list[tuple[str, ...]] = [("GPU", "SLOT", "USER", "SINCE", "ENDS", "IN USE")]
    for device in node.devices:
        rows += [_row(device, holder) for holder in device.holders] or [_row(device, None)]
    parts = [one_line(node.message)] if node.message else []
    if node.devices:
        parts.append(table(rows))
    for number, place in enumerate(node.line, 1):
        which = "of certain ones" if place.certain else ""
        waits = f"{number}. {place.user or 'somebody'}: {counted(place.gpus, 'GPU')} {which}".rstrip()
        parts.append(f"In line {waits}, for {duration_text(seconds_since(place.since))}")
    return "\n".join(parts)


def _row(device: SharedDevice, holder: SlotHolder | None) -> tuple[str, ...]:
    name = f"{device.index}" if device.index is not None else device.uuid[:12]
    use = f"{device.utilization_percent:.0f} %" if device.utilization_percent is not None else ""
    if holder is None:
        return name, "", "(reserved)" if device.reserved else "(free)", "", "", use
    slot = f"{holder.slot} of {device.slots}" if holder.slot is not None and device.slots is not None else ""
    return (
        name,
        slot,
        (holder.user or "somebody") + ("" if holder.counts else " (above the limit)"),
        f"{duration_text(max(0.0, seconds_since(holder.since)))} ago" if holder.since else "",
        f"in {duration_text(max(0.0, -seconds_since(holder.ends_at)))}" if holder.ends_at else "",
        use,
    )
