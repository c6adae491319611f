"""What wakes a rank that sleeps: MPI has nothing that a process can wait for together with its other work.

Each rank has a datagram socket. Whoever has sent something through MPI rings it, and the event loop of the other
looks what has come. On one machine it is an abstract unix socket, which opens no port; between machines a UDP port,
where only who knows the world's secret is listened to. A ring says nothing but "look": one that is lost costs
``engine.LONGEST_SLEEP_SECONDS`` at most, one too many costs a look.
"""

from __future__ import annotations

import hmac
import socket
from contextlib import suppress
from dataclasses import dataclass

from ...operating_system.neighbours import nameless_datagrams, place_on_network

SECRET_BYTES = 16


@dataclass(frozen=True)
class Place:
    """Where a rank's bell is."""

    machine: str
    """The same for ranks that reach each other's unix sockets."""
    path: bytes | None
    """Abstract name of the unix socket."""
    port: tuple[str, int] | None


class Bell:
    """The bell of this rank.

    Parameters
    ----------
    host : str
        Address by which ranks of other machines reach this one.
    """

    def __init__(self, host: str) -> None:
        self._near = nameless_datagrams()
        path: bytes | None = self._near.getsockname() if self._near is not None else None
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._far: socket.socket | None = socket.socket(family, socket.SOCK_DGRAM)
        self._far.bind((host, 0))
        for one in self.sockets:
            one.setblocking(False)
        self.place = Place(place_on_network(), path, self._far.getsockname()[:2])
        self._others: list[Place] = []
        self._secret = b""

    @property
    def sockets(self) -> list[socket.socket]:
        """What an event loop waits for."""
        return [one for one in (self._near, self._far) if one is not None]

    def meet(self, others: list[Place], secret: bytes) -> None:
        """Know all ranks; a port that nobody needs is closed.

        Parameters
        ----------
        others : list of Place
            By rank.
        secret : bytes
            Of the world.
        """
        self._others, self._secret = others, secret
        if self._far is not None and all(self._is_near(place) for place in others):
            self._far.close()
            self._far = None

    def ring(self, rank: int) -> None:
        """Wake a rank. One whose queue is full has been woken."""
        place = self._others[rank]
        with suppress(OSError):
            if self._is_near(place):
                assert self._near is not None and place.path is not None
                self._near.sendto(self._secret, place.path)
            elif self._far is not None and place.port is not None:
                self._far.sendto(self._secret, place.port)

    def is_near(self, rank: int) -> bool:
        """Return whether a rank is on this machine."""
        return self.place.machine == self._others[rank].machine

    def heard(self) -> bool:
        """Take all rings there are; returns whether one of them was ours."""
        ours = False
        for one in self.sockets:
            with suppress(OSError):
                for _ in range(64):
                    ours |= hmac.compare_digest(one.recv(SECRET_BYTES + 1), self._secret)
        return ours

    def close(self) -> None:
        """Hear nothing any more."""
        for one in self.sockets:
            one.close()
        self._near = self._far = None

    def _is_near(self, place: Place) -> bool:
        return self._near is not None and place.path is not None and place.machine == self.place.machine
