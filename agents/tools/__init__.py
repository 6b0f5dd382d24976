"""Tools: typed Python functions with a declared effect, and the ones that ship with Remit."""
