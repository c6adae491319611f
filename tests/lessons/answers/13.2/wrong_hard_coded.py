def facts(text):
    return {"seconds": 0.38063, "tasks": 10, "compute": 0.50962, "threads": 2}
