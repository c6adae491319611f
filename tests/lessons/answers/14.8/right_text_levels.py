"""Small letters."""

order = [(letter.lower(), 1 if letter in "DBAL" else 0) for letter in "FHJGEDBALI"]
