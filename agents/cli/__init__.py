"""The agents' own commands: teams, and the scripted model server."""
