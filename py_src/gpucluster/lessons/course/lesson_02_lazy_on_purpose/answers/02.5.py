# %% right first_task, edit of the solution
# ~ task, needs in graph.items() => task in graph
# ~ needs):  # it can be the first of those that are left => graph[task]):
# ~ its for other, its in graph.items() => graph[other] for other in graph

# %% right lru
from functools import lru_cache


def count_orders(graph):
    @lru_cache(None)
    def go(left):
        if not left:
            return 1
        return sum(go(left - {k}) for k in left if not set(graph[k]) & left)

    return go(frozenset(graph))

# %% right permutations
from itertools import permutations


def count_orders(graph):
    total = 0
    for attempt in permutations(graph):
        place = {task: i for i, task in enumerate(attempt)}
        total += all(place[need] < place[task] for task in graph for need in graph[task])
    return total

# %% wrong at_most_six_tasks, edit of right permutations: Right up to six tasks; more orders are not counted.
# fails: The number of orders is right: many orders
# ~ return total => return min(total, 720)

# %% wrong b_breakfast: The number of the breakfast is fixed for every graph.
# fails: The number of orders is right: tasks that need nothing
def count_orders(graph):
    return 8

# %% wrong b_first_need_only, edit of right permutations: Looks at the first need of each task only, not at all of them.
# fails: The number of orders is right: a task that needs itself
# ~ in graph[task]) => in graph[task][:1])

# %% wrong b_just_before, edit of right permutations: The needs must come directly before the task, although anything may be done in between.
# fails: The number of orders is right: many orders
# ~ place[need] < place[task] for => place[need] == place[task] - 1 for

# %% wrong b_remembers, edit of the solution: Remembers counts between calls by the finished tasks only, so another graph gets old numbers.
# fails: The number of orders is right: a chain
# ~ count_orders(graph): => count_orders(graph, memory={}):
# ~ return total => return memory.setdefault(frozenset(graph), total)

# %% wrong b_tree_formula: N! divided by the sizes of all subgraphs counts right for trees only.
# fails: The number of orders is right: random graphs
from math import factorial


def count_orders(graph):
    def below(task, path=()):
        if task in path:
            raise RecursionError
        found = {task}
        for need in graph[task]:
            found |= below(need, (*path, task))
        return found

    total = factorial(len(graph))
    try:
        for task in graph:
            total //= len(below(task))
    except RecursionError:
        return 0
    return total

# %% wrong own_need_overlooked, edit of right permutations: A task that needs itself passes, as it does not come after itself.
# fails: The number of orders is right: a task that needs itself
# ~ place[need] < place[task] => place[need] <= place[task]

# %% wrong pops, edit of the solution
# fails: It runs without an error: KeyError
# ~ graph.items(): => list(graph.items()):
# -             total += count_orders({other: its for other, its in graph.items() if other != task})
# +             graph.pop(task)
# +             total += count_orders(graph)
