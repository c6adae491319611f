"""What cells and scripts computed: which cell runs, what is kept of it, and two of them compared."""
