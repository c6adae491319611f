"""Kubernetes' way of working, in small: a loop that compares what is wanted with what is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

STARTS_AFTER = 2
"""Rounds that a pod needs from its making to its running."""


@dataclass(frozen=True)
class Pod:
    """One pod: its node, and the round in which it was made."""

    name: str
    node: str
    made: int


@dataclass(frozen=True)
class Round:
    """What was there at the end of one round.

    Attributes
    ----------
    wanted, running, starting : int
    told : tuple of str
        What happened, and what the loop did.
    """

    number: int
    wanted: int
    running: int
    starting: int
    told: tuple[str, ...]


def run_loop(
    nodes: Sequence[str], wanted: Mapping[int, int], failing: Mapping[int, str], rounds: int, *, room: int = 2
) -> list[Round]:
    """Let the loop do its work.

    Parameters
    ----------
    nodes : sequence of str
    wanted : mapping
        Number of pods from a round on.
    failing : mapping
        Node that fails in a round, and stays away.
    rounds : int
    room : int
        Pods that one node has room for.
    """
    pods: list[Pod] = []
    alive = list(nodes)
    history: list[Round] = []
    number = target = pending = 0
    for turn in range(rounds):
        told: list[str] = []
        if turn in wanted:
            target = wanted[turn]
            told.append(f"somebody asks for {target}")
        if turn in failing:
            alive.remove(failing[turn])
            lost = [pod for pod in pods if pod.node == failing[turn]]
            pods = [pod for pod in pods if pod not in lost]
            told.append(f"{failing[turn]} fails, {len(lost)} pods are lost")
        ended, pods = pods[target:], pods[:target]
        told += [f"ends {', '.join(pod.name for pod in ended)}"] * bool(ended)
        made: list[Pod] = []
        while len(pods) < target:
            node = min(alive, key=lambda one: sum(pod.node == one for pod in pods), default=None)
            if node is None or sum(pod.node == node for pod in pods) >= room:
                break
            made.append(Pod(f"worker-{number}", node, turn))
            pods.append(made[-1])
            number += 1
        told += [f"makes {', '.join(f'{pod.name} on {pod.node}' for pod in made)}"] * bool(0 < len(made) <= 2)
        told += [f"makes {len(made)} pods"] * bool(len(made) > 2)
        if (waiting := target - len(pods)) != pending:
            told += [f"{waiting} pending, as no node has room"] * bool(waiting)
            pending = waiting
        running = sum(turn - pod.made >= STARTS_AFTER for pod in pods)
        history.append(Round(turn, target, running, len(pods) - running, tuple(told)))
    return history
