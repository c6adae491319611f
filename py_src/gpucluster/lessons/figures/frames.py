"""Animations of a whole figure: they play twice, then stand still on the last frame."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np

from .animation import show_gif

TIMES = 2


def show_frames(
    figure: Any,
    draw: Callable[[int], None],
    n_frames: int,
    *,
    words: str,
    frame_seconds: float = 0.25,
    last_seconds: float = 2.0,
) -> None:
    """Draw one frame after the other on a figure, and show them as one GIF picture.

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
    from PIL import Image

    pictures = []
    for number in range(n_frames):
        draw(number)
        figure.canvas.draw()
        pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].copy()
        pictures.append(Image.fromarray(pixels).quantize(128, dither=Image.Dither.NONE))
    plt.close(figure)
    durations = [int(1000 * frame_seconds)] * (n_frames - 1) + [int(1000 * last_seconds)]
    file = BytesIO()
    pictures[0].save(
        file, format="GIF", save_all=True, append_images=pictures[1:], loop=TIMES - 1, duration=durations, disposal=1
    )
    show_gif(file.getvalue(), words)
