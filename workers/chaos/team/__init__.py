"""The team of the proof: it looks, writes, pays, sends and posts, and has to do each exactly once."""
