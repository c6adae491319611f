"""Errors of the data sets."""

from ..protocol.errors import GPUClusterError


class DatasetError(GPUClusterError):
    """Base of the errors of ``gpucluster.datasets``."""

    code = "dataset_error"


class InvalidOption(DatasetError, ValueError):
    """An option is not allowed."""

    code = "invalid_option"
    exit_code = 2


class MissingLibrary(DatasetError, ImportError):
    """The library for the data is not installed."""

    code = "missing_library"


class DamagedFile(DatasetError):
    """A file of the package is missing or damaged."""

    code = "damaged_file"
