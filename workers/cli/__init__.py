"""The commands that run things: worker, up, doctor."""
