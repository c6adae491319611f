"""What the site says to whoever looks at the panel, and what is wrong with its file."""

from __future__ import annotations

from pydantic import Field

from .models import WireModel


class SiteFaults(WireModel):
    """What is wrong with the site's file, and its message of the day."""

    faults: list[str] = Field(
        description="As 'gpucluster site' says it, with file and line; empty for people who cannot change the file."
    )
    notice: str | None = Field(description="What it means for everybody, in a sentence; null: nothing.")
    message: str | None = Field(None, description="The site's message of the day; null: none.")
