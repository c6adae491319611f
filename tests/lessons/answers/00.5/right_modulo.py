def visible_to(worker, devices):
    names = devices.split(",")
    return ",".join(names[(worker + i) % len(names)] for i in range(len(names)))
