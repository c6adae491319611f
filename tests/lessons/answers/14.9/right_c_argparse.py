"""Right: argparse reads Docker's options, in order, and leaves the rest alone."""

import argparse
import shlex


class Kept(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        namespace.kept.extend([self.const, values])


def to_apptainer(command):
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.set_defaults(kept=[])
    parser.add_argument("--gpus")
    parser.add_argument("-v", "--volume", action=Kept, const="--bind")
    parser.add_argument("-w", "--workdir", action=Kept, const="--pwd")
    parser.add_argument("-e", "--env", action=Kept, const="--env")
    for nothing in ("-u --user", "-p --publish", "--name", "--shm-size", "--network", "--ipc"):
        parser.add_argument(*nothing.split())
    for nothing in ("--rm", "-it", "-i", "-t", "-d"):
        parser.add_argument(nothing, action="store_true")
    parser.add_argument("image")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    found = parser.parse_args(shlex.split(command)[2:], argparse.Namespace(kept=[]))
    verb = "exec" if found.program else "run"
    gpus = ["--nv"] if found.gpus else []
    return ["apptainer", verb, *gpus, *found.kept, "docker://" + found.image, *found.program]
