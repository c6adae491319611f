"""The same work on clusters that differ in their transport only: messages of many sizes, and workloads, in turns.

``messages`` sends blocks from worker to worker, ``comparison`` starts the clusters, measures and fits a line to the
messages' times, and ``report`` shows the result.
"""
