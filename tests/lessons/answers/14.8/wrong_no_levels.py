"""Everything on one level."""

order = [(letter, 0) for letter in "FHJGEDBALI"]
