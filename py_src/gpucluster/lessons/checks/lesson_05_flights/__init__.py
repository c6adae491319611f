"""Checks of lesson 05: ETL on a year of flights."""
