"""The only package that uses what Dask does not document: private names, and fields that its manual does not name.

One module per subject. Each function lists what it relies on, and in brackets the version of ``distributed`` (or the
named library) that has it at the latest; releases were checked about four months apart, from 2021.1 on.
``tests/dask_internals`` has a canary for each, which fails with an explanation when a version of Dask differs.
``make test-dask DASK=<version>`` tries one.

These modules import nothing else of gpucluster except ``operating_system``, and import Dask only where needed. So
functions that only need Dask can be sent by value to a scheduler or worker without gpucluster, as ``profiling`` does
with its recorders.
"""
