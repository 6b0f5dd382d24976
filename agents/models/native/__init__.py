"""Native tool calls: the chat-completions protocol of OpenAI and of the many servers that speak it."""
