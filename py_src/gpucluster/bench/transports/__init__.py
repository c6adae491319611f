"""The same work on clusters that differ in their transport only: messages of many sizes, and workloads, by turns.

``messages`` sends blocks from worker to worker, ``comparison`` starts the clusters and measures, ``result`` is what
comes of it, with the line that fits the messages' times, and ``report`` shows it.
"""
