order = "".join(["DHIAFBGCE"])
