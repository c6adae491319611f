"""Claims among one user's clusters: visible, without exclusion, released with their holder."""

import fcntl
import os
import subprocess
import sys

import pytest
from gpucluster.sharing.claims import DeviceClaims

ONE, TWO, OLD_STYLE = "GPU-0001", "MIG-0002", "MIG-GPU-0003/1/0"

HOLD = """
import sys, pathlib
from gpucluster.sharing.claims import DeviceClaims
claims = DeviceClaims(pathlib.Path(sys.argv[1]))
with claims.choosing() as taken:
    claims.claim(sys.argv[2:])
print(sorted(taken), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def claims(tmp_path):
    return DeviceClaims(tmp_path)


def taken(claims: DeviceClaims) -> set[str]:
    with claims.choosing() as found:
        return set(found)


def test_claim_is_visible_until_released(claims, tmp_path):
    mine = DeviceClaims(tmp_path)
    assert taken(claims) == set()
    mine.claim([ONE, OLD_STYLE])
    assert taken(claims) == {ONE, OLD_STYLE}
    mine.release()
    assert taken(claims) == set()


def test_several_may_claim_the_same(claims, tmp_path):
    first, second = DeviceClaims(tmp_path), DeviceClaims(tmp_path)
    first.claim([ONE])
    second.claim([ONE, TWO])
    first.release()
    assert taken(claims) == {ONE, TWO}
    second.release()
    assert taken(claims) == set()


def test_claim_ends_with_its_process(claims, tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path), ONE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == "[]"
        assert taken(claims) == {ONE}
        holder.kill()
        holder.wait(20)
    assert taken(claims) == set()


def test_one_chooses_after_the_other(claims, tmp_path):
    command = [sys.executable, "-c", HOLD, str(tmp_path), TWO]
    with claims.choosing():
        other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(1)  # It waits until we have chosen.
        claims.claim([ONE])
    with other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == f"['{ONE}']", "it does not see our choice"
        other.kill()
    claims.release()


def test_what_is_no_claim_is_passed_over(tmp_path):
    other, mine = DeviceClaims(tmp_path), DeviceClaims(tmp_path)
    other.claim(["GPU-1"])
    folder = tmp_path / "devices"
    (folder / "device-GPU-2").mkdir()
    (folder / "device-GPU-3").symlink_to("device-GPU-1")
    (folder / "device-%47PU-4").touch()
    held = os.open(folder / "device-%47PU-4", os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_SH)
    assert taken(mine) == {"GPU-1"}
    os.close(held)
    other.release()
