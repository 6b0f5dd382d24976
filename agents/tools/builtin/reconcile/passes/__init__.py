"""The passes, one a file: each looks at what is still open and says which bookings belong together."""
