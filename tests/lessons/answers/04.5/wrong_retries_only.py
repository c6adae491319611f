"""Believes that retries count dead workers."""


def run_carefully(client, task, args, retries, allowed):
    try:
        return client.submit(task, *args, retries=min(retries, allowed), pure=False).result()
    except Exception as error:
        return error
