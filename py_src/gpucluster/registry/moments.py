"""Times in records: UTC, to the millisecond."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    return stamped(datetime.now(UTC))


def stamped(moment: datetime, timespec: str = "milliseconds") -> str:
    return moment.isoformat(timespec=timespec).replace("+00:00", "Z")
