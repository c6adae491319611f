"""Lesson 05: ETL on a real year of flights."""
