"""A class: learners who want to share their progress in a folder, and the instructor who reads it.

Nothing leaves the site: a learner's kernel writes one small file into a folder that the instructor names, and the
instructor's server reads that folder. The Jupyter server imports this package, so it imports nothing heavy.
"""

from .reading import read_class
from .sharing import publish, share, share_again, shared_file, withdraw

__all__ = ["publish", "read_class", "share", "share_again", "shared_file", "withdraw"]
