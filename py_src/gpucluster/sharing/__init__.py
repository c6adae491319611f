"""Users of each GPU of a machine, and the queue: between all users, without a service and without a file."""
