"""The arguments of ``gpucluster tunnel``."""

from __future__ import annotations

from .arguments import SentenceParser
from .declarations import declare_json


def declare_tunnel(parser: SentenceParser, face: str) -> None:
    """Declare the arguments."""
    parser.argument("port", nargs="?", metavar="PORT", help="Port of this machine. Default: that of your Jupyter here.")
    parser.argument(
        "--login-node", metavar="NAME",
        help="Where your laptop logs in, as your laptop knows it; also me@NAME and NAME:PORT. Default: what the "
        "site's file or the environment tells (SSH_CONNECTION, SLURM_SUBMIT_HOST).",
    )  # fmt: skip
    parser.argument("--local-port", metavar="N", help="Port of your laptop. Default: the same.")
    declare_json(parser, face, "the line, with what was checked,")
