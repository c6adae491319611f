"""Where a cluster claims its GPUs: among all users of the machine, where the system can tell whose a claim is."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

from ..sharing.claims import DeviceClaims, NodeClaims
from ..site.reading import gpu_policy

logger = logging.getLogger("gpucluster.supervisor")


def device_claims(directory: Path) -> NodeClaims | DeviceClaims:
    """Return the claims of this machine, or where there are none between users, those of a registry."""
    policy = gpu_policy()
    claims = NodeClaims(policy)
    try:
        claims.look()
    except OSError as error:
        logger.info("GPUs are claimed among clusters of this user only: %s", error.strerror)
        return DeviceClaims(directory, replace(policy, slots=None, per_user=None))
    return claims
