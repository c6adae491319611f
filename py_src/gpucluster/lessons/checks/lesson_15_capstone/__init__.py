"""Checks of lesson 15: a project from the question to the service that is watched."""
