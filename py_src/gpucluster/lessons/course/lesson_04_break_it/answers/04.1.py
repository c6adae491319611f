# %% right b_generator_queue: Breadth first with a queue and a generator.
from collections import deque


def rerun(graph, memory, wanted, lost):
    def walk():
        seen, queue = set(), deque(wanted)
        while queue:
            key = queue.popleft()
            if key in seen or not memory.get(key, set()) <= {lost}:
                continue
            seen.add(key)
            queue.extend(graph[key])
            yield key

    return set(walk())

# %% right memo
def rerun(graph, memory, wanted, lost):
    again = frozenset(k for k in wanted if not set(memory.get(k, ())) - {lost})
    while True:
        more = again | {n for k in again for n in graph[k] if not set(memory.get(n, ())) - {lost}}
        if more == again:
            return set(again)
        again = more

# %% right rounds: Rounds until nothing is added any more.
def rerun(graph, memory, wanted, lost):
    gone = {key for key in graph if not set(memory.get(key, ())) - {lost}}
    again = set(wanted) & gone
    while True:
        more = {needed for key in again for needed in graph[key]} & gone
        if more <= again:
            return again
        again |= more

# %% wrong b_no_inputs: Only the wanted results that were lost; "what is not in memory has been released", so their inputs run again, too.
# fails: Results that only the lost worker had are computed again
def rerun(graph, memory, wanted, lost):
    return {key for key in wanted if memory.get(key, set()) <= {lost}}

# %% wrong c_all_in_memory, edit of the solution: Begins with everything that is in memory, even if it is no longer needed.
# fails: Nothing else is computed again
# ~ list(wanted) => [key for key, holders in memory.items() if holders == {lost}]

# %% wrong downstream, edit of the solution: Goes to what depends on a lost key instead of what it needs.
# fails: Results that only the lost worker had are computed again
# ~ graph[key] => [other for other, needed in graph.items() if key in needed]

# %% wrong memory_changed, edit of the solution
# fails: Inputs are not modified
# ~ """Return the set of keys that are computed again when the worker is lost.""" => [workers.discard(lost) for workers in memory.values()]

# %% wrong pops_wanted, edit of the solution
# fails: Inputs are not modified
# ~ list(wanted) => wanted
# ~ todo.extend => todo.update
