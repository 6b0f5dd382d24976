"""A scripted model: an OpenAI-compatible HTTP server that answers from a file, for tests of teams and of ourselves."""
