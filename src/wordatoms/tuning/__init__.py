"""Choice of the settings for reading contexts (section 6 of the paper), by pseudowords in held-out text."""
