"""The proof: a scripted team is broken on purpose, round after round, and what is promised is looked for afterwards."""
