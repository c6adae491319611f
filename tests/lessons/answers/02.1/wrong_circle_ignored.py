def order(graph):
    done = []
    while True:
        ready = [t for t, needs in graph.items() if t not in done and all(need in done for need in needs)]
        if not ready:
            return done
        done += ready
