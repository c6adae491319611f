def visible_to(worker, devices):
    names = devices.split(",")
    return ",".join(names[worker:] + names[:worker])
