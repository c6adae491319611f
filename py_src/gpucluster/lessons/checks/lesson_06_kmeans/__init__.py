"""Checks of lesson 06: k-means, from the blackboard to the cluster."""
