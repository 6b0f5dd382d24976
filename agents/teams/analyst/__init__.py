"""The team that cleans a table and draws charts of it, by code in a sandbox."""
