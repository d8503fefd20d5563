"""The vocabulary of a text, and how often its words occur near each other."""
