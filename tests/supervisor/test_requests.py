"""What a cluster can be asked for is known wherever it is refused or written down."""

from __future__ import annotations

from gpucluster.protocol.telemetry import ActivityEntry
from gpucluster.protocol.traits import Verb
from gpucluster.supervisor import requests


def test_every_verb_has_words_for_clusters_that_cannot_and_a_name_in_the_activity() -> None:
    assert requests._CANNOT.keys() == set(Verb)
    described = ActivityEntry.model_fields["kind"].description or ""
    assert [verb for verb in Verb if f"'{verb}'" not in described] == []
