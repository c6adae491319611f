"""Workers as jobs of Slurm."""
