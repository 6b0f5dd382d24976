"""The text protocol (Thought / Action / Action Input / Final Answer): pure reading and writing of what models say."""
