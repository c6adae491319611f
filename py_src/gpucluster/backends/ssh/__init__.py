"""Workers on other machines that are reached by SSH."""
