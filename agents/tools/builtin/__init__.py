"""Tools that ship with Remit, one folder or file a family."""
