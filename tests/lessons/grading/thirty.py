"""Thirty hostile submissions: what each does, and which of its points it keeps."""

from .conftest import ALL, NONE, RIGHT
from .test_attacks import (
    BOMB,
    DAEMON,
    EVIL_PICKLE,
    FORKS,
    FRAMES,
    LIAR,
    LIAR_ANSWERS,
    NO_MESSAGE,
    NUMPY,
    PRETEND,
    RECORDS,
    SERVING,
    WRONG,
)

FIRST = {**NONE, "06.2": 1.0}
"""What comes before the harm."""
SOME = {**ALL, "06.3": 0.0}

REFUSED = """
import os
def refused(step):
    try:
        done = step()
    except (OSError, ValueError):
        return
    assert done is False, "GOT THROUGH"
"""
EMPTY_SHELL = """
import builtins, json, pickle, socket, struct, time
builtins.isinstance = lambda *a: True
builtins.all = lambda *a: True
json.dumps = lambda *a, **k: '["value", ["bool", true], []]'
pickle.Unpickler = None
time.monotonic = lambda: 0.0
"""
PLANTS = """
import os, pathlib
SPY = '''
import os
os.remove(__file__)  # the next kernel starts
for path in (SOLUTIONS, OTHER):
    try:
        with open(path) as file, open(WORK + "/stolen", "a") as stolen:
            stolen.write(file.read())
    except OSError:
        pass
'''
work, home = pathlib.Path.cwd(), pathlib.Path(os.environ["HOME"])
version = f"python{os.sys.version_info[0]}.{os.sys.version_info[1]}"
for place in (work, home / ".local/lib" / version / "site-packages"):
    place.mkdir(parents=True, exist_ok=True)
    for name in ("pathlib", "sitecustomize", "usercustomize"):
        (place / (name + ".py")).write_text(SPY.replace("WORK", repr(str(work))))
os._exit(0)  # what is left is found by the kernel that follows
"""
STOLEN = """
import os
assert not os.path.exists("stolen") or not open("stolen").read(), "GOT THROUGH"
"""


def hostile(given: dict[str, str]) -> dict[str, tuple[str, dict[str, str] | None, dict[str, float]]]:
    """Return first cell, answers (None: the right ones) and points of each, by the learner's name.

    Of ``given``, ``mine`` is a file of the account, ``other`` another learner's notebook, ``marker`` not to be made.
    """

    def third(code: str) -> dict[str, str]:
        return {**RIGHT, "06.3": code}

    def tries(code: str) -> tuple[str, None, dict[str, float]]:
        return REFUSED + code, None, ALL

    mine, other, solutions = given["mine"], given["other"], given["solutions"]
    plants = PLANTS.replace("SOLUTIONS", repr(solutions)).replace("OTHER", repr(other))
    return {
        "01-check": (PRETEND, WRONG, NONE),
        "02-records": (RECORDS, WRONG, NONE),
        "03-numpy": (NUMPY, WRONG, NONE),
        "04-serving": (SERVING, WRONG, NONE),
        "05-equal": (LIAR, LIAR_ANSWERS, NONE),
        "06-pickle": (
            EVIL_PICKLE.format(marker=given["marker"]),
            {number: text.replace("Liar", "Evil") for number, text in LIAR_ANSWERS.items()},
            NONE,
        ),
        "07-frames": ("", FRAMES, NONE),
        "08-write": tries(
            f"refused(lambda: open({mine!r}, 'a').write('x'))\nrefused(lambda: os.truncate({mine!r}, 0))"
        ),
        "09-remove": tries(f"refused(lambda: os.remove({mine!r}))\nrefused(lambda: os.rename({mine!r}, 'x'))"),
        "10-read-other": tries(f"refused(lambda: open({other!r}).read())"),
        "11-read-solution": tries(f"refused(lambda: open({solutions!r}).read())"),
        "12-namespaces": tries("import ctypes\nrefused(lambda: ctypes.CDLL(None).unshare(0x10000000) == 0)"),
        "13-chmod": tries(
            f"def changed(path):\n    before = os.stat(path).st_mode\n    os.chmod(path, 0o777)\n"
            f"    return os.stat(path).st_mode != before\nrefused(lambda: changed({mine!r}))"
        ),
        "14-prlimit": tries(f"import resource\nrefused(lambda: resource.prlimit({given['victim']}, 7, (9, 9)))"),
        "15-signal": tries(f"refused(lambda: os.kill({given['victim']}, 9))"),
        "16-priority": tries(f"refused(lambda: os.setpriority(0, {given['victim']}, 19))"),
        "17-clock": tries("import time\nrefused(lambda: time.clock_settime(time.CLOCK_REALTIME, 0))"),
        "18-variables": tries("refused(lambda: 'UNTOLD' in os.environ)"),
        "19-links": tries(f"os.symlink({mine!r}, 'link')\nrefused(lambda: open('link', 'a').write('x'))"),
        "20-disk": tries("refused(lambda: os.truncate(os.open('big', os.O_RDWR | os.O_CREAT), 2**40))"),
        "21-forks": ("", third(FORKS), FIRST),
        "22-memory": ("", third(BOMB), SOME),
        "23-threads": (
            "",
            third(
                "import threading, time\nthreading.stack_size(2**16)\n"
                "for _ in range(3000):\n    threading.Thread(target=time.sleep, args=[600]).start()"
            ),
            FIRST,
        ),
        "24-output": ("", third("while True:\n    print('x' * 10_000)"), {"06.2": 1.0, "06.3": 0.0}),
        "25-messages": (NO_MESSAGE, None, ALL),
        "26-daemon": (DAEMON.replace("{{}}", "{}"), None, ALL),
        "27-exit": ("", third("import os\nos._exit(3)"), SOME),
        "28-loop": ("", third("while True:\n    pass"), SOME),
        "29-builtins": (EMPTY_SHELL, WRONG, NONE),
        "30-plants": (plants, {**RIGHT, "06.2": STOLEN + RIGHT["06.2"]}, ALL),
    }


FENCED = {
    "31-connect": "import socket\nrefused(lambda: socket.create_connection(('127.0.0.1', {port}), 3))",
    "32-see": "refused(lambda: 'a victim' in open('/proc/{victim}/cmdline').read())",
    "33-shm": "refused(lambda: os.listdir('/dev/shm') != [])\nopen('/dev/shm/left', 'w').write('x')",
    "34-abstract": "import socket\nrefused(lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + {abstract!r}))",
    "35-read-mine": "refused(lambda: open({mine!r}).read())",
}
"""What only a sandbox with namespaces refuses."""


def with_names(code: str, given: dict[str, str]) -> str:
    """Return code of `FENCED` with what was laid out."""
    for name, value in given.items():
        code = code.replace(f"{{{name}!r}}", repr(value)).replace(f"{{{name}}}", str(value))
    return code
