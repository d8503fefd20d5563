"""From files to tokens: finding and decompressing text, splitting it into shards, documents and sentences."""
