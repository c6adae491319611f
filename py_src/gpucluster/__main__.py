"""``python -m gpucluster``: the command line, for a Python whose scripts are not on the path."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # The current directory: no module in it is ours.

from gpucluster.cli import main

if __name__ == "__main__":
    sys.exit(main())
