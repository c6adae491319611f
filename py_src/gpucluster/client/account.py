"""Names of accounts."""

from __future__ import annotations

import pwd


def user_name(number: int) -> str:
    """Return the name of an account, or its number where nobody knows the name."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
