"""The atoms themselves: Tables 5 and 6 and our additions; only exhibits of the report."""

TASKS = ()
