"""The report: every table and figure of the paper by one command, compared with the paper, and our additions."""
