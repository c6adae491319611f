def prepare(table):
    def choose(piece):
        return piece.query("dep_delay > 120")[["carrier", "dep_delay", "distance"]]

    return table.map_partitions(choose).persist()
