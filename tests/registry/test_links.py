"""The stored links that let others view a cluster."""

import json
import stat
from datetime import UTC, datetime, timedelta

import pytest
from gpucluster.protocol.errors import InvalidRequest, InvalidState, LinkNotFound
from gpucluster.protocol.links import MOST_LINKS, LinkRequest, NewLink, parse_link_request
from gpucluster.registry.links import (
    KEPT_VIEWERS,
    add_link,
    find_link,
    living_links,
    note_opened,
    token_hash,
    withdraw_links,
)
from gpucluster.registry.record import Folder


@pytest.fixture
def folder(tmp_path) -> Folder:
    path = tmp_path / "0a1b2c3d"
    path.mkdir(mode=0o700)
    return Folder(path)


def test_token_is_stored_as_hash_in_private_file(folder):
    link, token = add_link(folder, LinkRequest(), "me")
    assert len(token) >= 43 and token != add_link(folder, LinkRequest(), "me")[1]
    assert stat.S_IMODE(folder.links.stat().st_mode) == 0o600
    text = folder.links.read_text()
    assert token not in text and token_hash(token) in text
    assert find_link(living_links(folder), token) == link
    for wrong in ("", token[:-1], token + "A", token.swapcase(), token_hash(token), link.id, "\udcff"):
        assert find_link(living_links(folder), wrong) is None, wrong


def test_link_expires_and_can_be_revoked(folder):
    first, token = add_link(folder, LinkRequest(hours=24.0), None)
    second, _ = add_link(folder, LinkRequest(hours=0.5), None)
    ends = datetime.fromisoformat(second.ends_at) - datetime.fromisoformat(second.created_at)
    assert ends == timedelta(hours=0.5)
    book = json.loads(folder.links.read_text())
    book["links"][1]["link"]["ends_at"] = (datetime.now(UTC) - timedelta(seconds=1)).isoformat().replace("+00:00", "Z")
    folder.links.write_text(json.dumps(book))
    assert [stored.link.id for stored in living_links(folder)] == [first.id]
    with pytest.raises(LinkNotFound):
        withdraw_links(folder, second.id)
    assert withdraw_links(folder, first.id) == [first]
    assert find_link(living_links(folder), token) is None
    assert not folder.links.exists()
    assert withdraw_links(folder, None) == []


def test_missing_link_leaves_no_file(folder):
    assert withdraw_links(folder, None) == []
    with pytest.raises(LinkNotFound):
        withdraw_links(folder, "0a1b2c3d")
    assert note_opened(folder, "0a1b2c3d", "grace") is None
    assert list(folder.path.iterdir()) == []


def test_views_are_counted(folder):
    link, _ = add_link(folder, LinkRequest(), None)
    for viewer in (None, "grace", "grace"):
        counted = note_opened(folder, link.id, viewer)
    assert counted.opened == 3 and counted.last_opened_at >= link.created_at
    assert [(viewer.name, viewer.opened) for viewer in counted.viewers] == [("grace", 2)]
    for number in range(KEPT_VIEWERS + 5):
        counted = note_opened(folder, link.id, f"user-{number}")
    assert len(counted.viewers) == KEPT_VIEWERS
    withdraw_links(folder, None)
    assert note_opened(folder, link.id, None) is None


def test_number_of_links_is_limited(folder):
    for _ in range(MOST_LINKS):
        add_link(folder, LinkRequest(), None)
    with pytest.raises(InvalidState, match="revoke one first"):
        add_link(folder, LinkRequest(), None)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"links": 1}', '{"links": [{"link": {}}]}', "\x00"])
def test_a_broken_file_opens_nothing(folder, text):
    folder.links.write_text(text)
    assert living_links(folder) == []


def test_symlink_is_not_written_through(folder, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    folder.links.symlink_to(victim)
    add_link(folder, LinkRequest(), None)
    assert victim.read_text() == "mine" and not folder.links.is_symlink()


@pytest.mark.parametrize(
    "given",
    [
        {"hours": 0}, {"hours": -(10**400)}, {"hours": 24.1}, {"hours": float("nan")}, {"hours": float("inf")},
        {"hours": "2"}, {"hours": True}, {"hours": None}, {"tasks": "yes"}, {"public": 1}, {"token": "x"}, [],
        b"", b"{", b"null",
    ],
)  # fmt: skip
def test_invalid_link_requests_are_refused(given):
    with pytest.raises(InvalidRequest):
        parse_link_request(given)


def test_token_is_not_in_repr(folder):
    link, token = add_link(folder, LinkRequest(), None)
    assert token not in repr(NewLink(link=link, path=f"gpucluster/shared/x/#{token}", url=f"http://x/#{token}"))
