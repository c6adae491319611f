"""A site's settings for links that let others view a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from gpucluster.site.sections import read_sections


def test_limits_in_file_apply():
    sharing = read_sections(Path("/x"), "sharing: {links: true, public_links: true, link_hours: 4}").sharing
    assert (sharing.links, sharing.public_links, sharing.link_hours) == (True, True, 4)
    nothing = read_sections(Path("/x"), "title: A site").sharing
    assert (nothing.links, nothing.public_links, nothing.link_hours) == (True, False, 24)


@pytest.mark.parametrize(
    "text", ["sharing: {links: 'no'}", "sharing: {link_hours: 48}", "sharing: {public_links: 2}", "sharing: 3", "{"]
)
def test_what_cannot_be_read_shows_nothing(text):
    site = read_sections(Path("/x"), text)
    assert not site.sharing.links and site.troubles


@pytest.mark.parametrize(
    ("hours", "message"), [("0", "must be at least 1 minute (0.0167), not 0."), ("48", "must be at most 24, not 48.")]
)
def test_walltime_bounds_are_readable(hours, message):
    [trouble] = read_sections(Path("/x"), f"sharing: {{link_hours: {hours}}}").troubles
    assert f"sharing.link_hours: {message}" in trouble
