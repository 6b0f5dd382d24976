"""Any server that speaks OpenAI's chat completions, as a model: the shared client, its quirks, its failures."""
