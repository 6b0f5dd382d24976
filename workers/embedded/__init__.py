"""Embedded services: a broker and workers on this machine that live as long as a command needs them."""
