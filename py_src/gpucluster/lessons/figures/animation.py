"""Animations as GIF pictures: they play a few times, stand still on the last frame, and need no scripts."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np

TIMES = 2
"""So often an animation plays; then it stands still, so that it does not disturb reading."""


def show_animation(
    figure: Any,
    draw: Callable[[int], None],
    n_frames: int,
    *,
    words: str,
    frame_seconds: float = 0.25,
    last_seconds: float = 2.0,
) -> None:
    """Draw one frame after the other on a figure, and show them as one picture.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Closed at the end.
    draw : callable
        Changes the figure into frame 0, 1, …, ``n_frames - 1``.
    words : str
        What is to be seen, for those who cannot see it.
    """
    import matplotlib.pyplot as plt
    from IPython.display import Image, display

    frames = []
    for number in range(n_frames):
        draw(number)
        figure.canvas.draw()
        frames.append(np.asarray(figure.canvas.buffer_rgba())[..., :3].copy())
    plt.close(figure)
    durations = [frame_seconds] * (n_frames - 1) + [last_seconds]
    display(Image(data=gif(frames, durations), format="gif", alt=words))


def gif(frames: list[Any], durations: list[float]) -> bytes:
    """Return pictures of height × width × 3 8-bit numbers as one GIF file."""
    from PIL import Image

    pictures = [Image.fromarray(frame).quantize(128, dither=Image.Dither.NONE) for frame in frames]
    file = BytesIO()
    pictures[0].save(
        file, format="GIF", save_all=True, append_images=pictures[1:], loop=TIMES - 1,
        duration=[int(1000 * seconds) for seconds in durations], optimize=True, disposal=1,
    )  # fmt: skip
    return file.getvalue()
