def order(graph):
    done = []
    while graph:
        ready = [k for k, v in graph.items() if not set(v) & graph.keys()]
        if not ready:
            raise ValueError("circle")
        for k in ready:
            del graph[k]
        done += ready
    return done
