"""Claims of GPUs: visible to all users, bound to their holder, released with its process."""

import os
import socket

import pytest
from gpucluster.operating_system.sockets import LONGEST, connect, held_names, hold
from gpucluster.sharing.claims import MOST_NUMBERS, ClaimedMeanwhile, NodeClaims
from gpucluster.sharing.instructor_lines import listening
from gpucluster.sharing.node import claim_name, held_name, place_name, prefix, read_node

ONE, TWO, OLD_STYLE = "GPU-0001", "MIG-0002", "MIG-GPU-79c62632-04cc-574b-af7b-cb2e307120d8/1/0"


def counts() -> dict[str, int]:
    return dict(read_node().counts)


def claimed(*uuids: str) -> NodeClaims:
    claims = NodeClaims()
    with claims.choosing():
        claims.claim(uuids)
    return claims


def test_claim_is_visible_until_released():
    assert counts() == {}
    mine = claimed(ONE, OLD_STYLE)
    assert counts() == {ONE: 1, OLD_STYLE: 1}
    (claim, _) = read_node().claims
    assert (claim.user, claim.number) == (os.getuid(), 1) and claim.since is not None
    mine.release()
    assert counts() == {}


def test_several_may_claim_the_same():
    first, second = claimed(ONE), claimed(ONE, TWO)
    assert counts() == {ONE: 2, TWO: 1}
    first.release()
    assert counts() == {ONE: 1, TWO: 1}
    second.release()


def test_slower_claim_is_retried():
    first, second = NodeClaims(), NodeClaims()
    with first.choosing(), second.choosing():
        first.claim([TWO])
        with pytest.raises(ClaimedMeanwhile):
            second.claim([ONE, TWO])
    assert counts() == {TWO: 1}, "a part of the failed claim is left"
    with second.choosing() as taken:
        assert dict(taken) == {TWO: 1}
    first.release()


def test_claims_work_with_all_numbers_taken(holds):
    holds(*(claim_name(ONE, str(number)) for number in range(1, MOST_NUMBERS + 1)))
    mine = claimed(ONE)
    assert counts() == {ONE: MOST_NUMBERS + 1}
    mine.release()


def test_excess_claims_do_not_count(holds):
    holds(claim_name(ONE, "1"), claim_name(TWO, "1"))
    assert read_node(per_user=1).counts == {ONE: 1}


@pytest.mark.parametrize("made", [["x0000000a", "2", "1"], ["1", "2", "x0000000a"]])
def test_claims_are_ordered_by_number(made, holds):
    holds(*(claim_name(ONE, mark) for mark in made))
    assert [claim.mark for claim in read_node().claims] == ["1", "2", "x0000000a"]
    assert [claim.mark for claim in read_node(per_user=2).claims] == ["1", "2"], "numbered claims come first"


@pytest.mark.parametrize(
    "name",
    ["c/GPU-1/0x1", "c//1", "c/GPU-1/1/2", "l/12/1/zz", "h/GPU-1/1/a/b", "c/G/99999", "c/GPU-1/0", "l/0/0/any", "ü"],
)
def test_nonsense_is_no_claim(name, holds):
    holds(f"{prefix()}/{name}")
    node = read_node()
    assert node.claims == node.line == ()


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("c/GPU-0001/1", "c/%47PU-0001/1"),
        ("c/GPU-%C3%A9/1", "c/GPU-é/1"),
        ("c/GPU-%2F/1", "c/GPU-%2f/1"),
        ("h/GPU-0001/1/7/9", "h/GPU-0001/1/07/9"),
        ("l/5/1/any", "l/05/1/any"),
        ("l/5/1/00000a.00000b", "l/5/1/00000b.00000a"),
        ("l/5/1/00000a", "l/5/1/00000a.00000a"),
        ("i/0000000a", "i/0000000A"),
        ("i/0000000a", "i/a"),
    ],
)
def test_only_canonical_names_count(name, variant, holds):
    def seen(*names: str) -> object:
        held = holds(*(f"{prefix()}/{each}" for each in (*names, *owned)))
        for each in held:
            each.listen(1)
        node = read_node()
        listens = {id for ids in listening()[0].values() for id, _ in ids}
        for each in held:
            each.close()
        return [(claim.uuid, claim.mark, claim.since) for claim in node.claims], [p.arrived for p in node.line], listens

    owned = ["c/GPU-0001/1"] if name.startswith("h/") else []
    assert seen(name, variant) == seen(variant, name) == seen(name) != seen(variant)


def test_a_uuid_of_any_length_is_claimed():
    for length in range(50, 70):
        mine = claimed("M" * length + "/é/1")
        assert len(read_node().claims) == 1
        mine.release()


def test_connections_to_a_name_hold_nothing():
    holder = hold(name := claim_name(ONE, "1"))
    assert holder is not None
    holder.listen(9)
    inode = os.fstat(holder.fileno()).st_ino
    connected = [connect(name, 5) for _ in range(4)]
    accepted = [holder.accept()[0] for _ in range(2)]
    assert [(each.socket, each.listens) for each in held_names(name)] == [(inode, True)]
    holder.close()
    again = hold(name)
    assert again is not None
    assert [each.socket for each in held_names(name)] == [os.fstat(again.fileno()).st_ino]
    for each in (again, *connected, *accepted):
        each.close()


def test_other_socket_type_is_no_claim():
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(b"\0" + claim_name(ONE, "1").encode())
        assert counts() == {}
        mine = claimed(ONE)
        assert read_node().claims[0].number == 1
        mine.release()


def test_names_fit():
    longest = held_name(OLD_STYLE, "x01234567", 9_999_999_999, 9_999_999_999)
    assert longest is not None and len(longest) <= LONGEST
    assert len(place_name(2**63 - 1, 999, [f"GPU-{number}" for number in range(8)])) <= LONGEST
