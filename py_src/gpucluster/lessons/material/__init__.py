"""What lessons work on: arrays and tables of any library, pictures and their tiles, files of flights."""
