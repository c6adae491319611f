"""All lines at level 1, also those that come before the job."""

order = [(letter, 1) for letter in "ABCDEFGH"]
