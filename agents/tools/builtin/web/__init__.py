"""The web as agents see it: public pages and feeds, within limits of address, size, time and type."""
