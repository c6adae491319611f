"""argparse knows Docker's options."""

import argparse
import shlex


def to_apptainer(command):
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for flag in ("--rm", "-i", "-t", "-d"):
        parser.add_argument(flag, action="store_true", dest=flag)
    for names in (
        ["-u", "--user"],
        ["-p", "--publish"],
        ["--name"],
        ["--shm-size"],
        ["--network"],
        ["--ipc"],
        ["--gpus"],
    ):
        parser.add_argument(*names)
    parser.add_argument("-v", "--volume", action="append", default=[])
    parser.add_argument("-e", "--env", action="append", default=[])
    parser.add_argument("-w", "--workdir")
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    found = parser.parse_args(shlex.split(command)[2:])
    image, *program = found.rest
    new = ["apptainer", "exec" if program else "run"]
    new += ["--nv"] if found.gpus else []
    new += [f"--bind={','.join(found.volume)}"] if found.volume else []
    new += [f"--pwd={found.workdir}"] if found.workdir else []
    new += [f"--env={one}" for one in found.env]
    return (*new, f"docker://{image}", *program)
