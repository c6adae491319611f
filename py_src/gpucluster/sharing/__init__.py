"""Who has which GPU of a machine, and who waits for one: between all users, without a service and without a file."""
