"""Reconciliation of two tables of bookings: columns → entries → matching passes → matches and breaks that tie out."""
