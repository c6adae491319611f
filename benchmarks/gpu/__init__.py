"""Prove gpucluster on a real GPU: ``python -m benchmarks.gpu --out DIR``, in pieces that can be taken up again.

`docs/gpu-proof.md` says what is proved and how to read the results.
"""
