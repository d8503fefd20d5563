"""Files and model folders: atomic writes, checksums, locks, and safe reading of untrusted files."""
