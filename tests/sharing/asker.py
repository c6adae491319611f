"""One user's shell: runs commands, given as lines of JSON, in one process."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout

from gpucluster.cli import main

answers = sys.stdout
print("ready", flush=True)
for line in sys.stdin:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(json.loads(line))
    print(json.dumps([code, out.getvalue(), err.getvalue()]), file=answers, flush=True)
