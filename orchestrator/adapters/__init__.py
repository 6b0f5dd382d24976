"""Adapters: the ports over real means, such as SQL databases and folders."""
