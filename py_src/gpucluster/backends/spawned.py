"""What a worker that was not forked does before anything else: Dask imports this module as its first preload."""

from ..dask_internals.listening import serve_no_worker_pages

serve_no_worker_pages()
