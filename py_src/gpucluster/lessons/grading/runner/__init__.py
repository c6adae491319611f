"""The process that runs one notebook and grades its answers: ``python -m gpucluster.lessons.grading.runner``."""
