def visible_to(worker, devices):
    return devices.split(",")[worker]
