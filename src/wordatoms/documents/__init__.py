"""What collections of documents are about: topics as their reader wants them, by group and over time."""
