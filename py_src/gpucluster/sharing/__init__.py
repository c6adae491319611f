"""Users of each GPU of a machine, and the queue, between all users and without a service or a file."""
