"""Wrong: another error reaches the caller, not that of the job."""

from distributed import Client


def borrow(start, job):
    with start() as cluster, Client(cluster) as client:
        try:
            return job(client)
        except Exception:
            raise RuntimeError("the job failed") from None
