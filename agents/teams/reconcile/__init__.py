"""The team that reconciles two tables of bookings."""
