"""Tables from outside: bytes → text → rows → grid → typed columns, each a pure step; and the tool that shows it."""
