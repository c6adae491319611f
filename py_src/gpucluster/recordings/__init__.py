"""Recordings of what gauges showed: written without a trace of who and where, read without trusting the file."""
