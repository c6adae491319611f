"""The learner's objects as the grader sees them: plain data over a socket, and stand-ins for everything else."""
