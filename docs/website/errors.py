"""What is wrong with a page."""

from __future__ import annotations


class SiteError(Exception):
    """The site cannot be built from these pages; the message says which one and what to do."""
