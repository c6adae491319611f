"""The kernel of a submission: ``python -m gpucluster.lessons.grading.kernel -f FILE``.

An ordinary IPython kernel, once it has given up what a submission does not need. Standard input says what that is.
"""

import os
import sys

from ..sandbox.protection import restrict

if __name__ == "__main__":
    restrict()

    from ipykernel import kernelapp
    from ipykernel.zmqshell import ZMQInteractiveShell
    from IPython.core.interactiveshell import InteractiveShell

    # Modules that the notebook has written, as at home; last, so that none takes the place of one that is installed.
    sys.path.append(os.getcwd())
    # Lines that begin with "!" run without a terminal: terminals are closed to submissions.
    ZMQInteractiveShell.system_piped = ZMQInteractiveShell.system = InteractiveShell.system_raw  # type: ignore
    kernelapp.launch_new_instance()
