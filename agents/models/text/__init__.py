"""The text protocol as a model: tools are described in the prompt, and calls are read from what the model writes."""
