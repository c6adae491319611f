"""``gpucluster.profile``: what a piece of code does on a cluster, where the time goes, and what to try.

``recording`` puts the ``recorders`` onto scheduler and workers, ``assembly`` makes the figures of what they bring back
(``model``), ``bottlenecks`` has the rules, ``rendering`` shows it all, and ``measurement`` is what users call. The
package is not named 'profile' because the function is.
"""
