"""The only place that touches what Dask does not document: private names, and fields that no page of its manual names.

One module per subject. Each function says what it relies on, and in brackets the version of ``distributed`` (or the
library that is named) that has it at the latest: one release in about four months was looked at, from 2021.1 on.
``tests/dask_internals`` has a canary for each, which fails with a sentence when a version of Dask does it differently.
``make test-dask DASK=<version>`` tries one.

Nothing in here imports anything else of this package but ``operating_system``, and Dask only where it is needed. So
those functions that ask Dask alone can be sent by value to a scheduler or worker without gpucluster, as ``profiling``
does with its recorders.
"""
