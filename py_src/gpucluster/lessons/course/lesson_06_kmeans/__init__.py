"""Lesson 06: Distributed k-means, from the blackboard to the cluster."""
