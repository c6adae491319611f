def visible_to(worker, devices):
    return devices[worker:] + devices[:worker]
