"""The terminal's face: commands for goals, runs and tickets; they are handed services and wire nothing."""
