"""The text of the English model: read from its public sources, cleaned, deduplicated, a part held out."""
