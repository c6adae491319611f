"""When each sample is shown; the player in browsers is held to the same in ``player.spec.ts``."""

from __future__ import annotations

import pytest
from gpucluster.protocol.errors import InvalidRequest
from gpucluster.protocol.telemetry import TelemetrySample
from gpucluster.recordings.reading import playing_speed, position_text, times_of


def test_silences_are_cut():
    seconds = ["00", "01.500", "20", "20", "59"]
    samples = [TelemetrySample(id="1", at=f"2026-11-21T10:00:{at}Z", workers=[]) for at in seconds]
    assert times_of(samples) == [0.0, 1.5, 11.5, 11.5, 21.5]


def test_positions():
    assert [position_text(seconds) for seconds in (0, 9.99, 65, 3600)] == ["0:00", "0:09", "1:05", "60:00"]


@pytest.mark.parametrize("speed", [0, 0.2, 65, -1, float("nan"), True, "2", None])
def test_speeds_that_are_none(speed):
    with pytest.raises(InvalidRequest, match="speed: must be a number from 0.25 to 64"):
        playing_speed(speed)


def test_a_speed():
    assert playing_speed(4) == 4.0
