"""Tools of MCP servers: a team names the servers and picks tools by name; everything asynchronous stays in here."""
