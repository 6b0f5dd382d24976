"""Workers run and wire: the composition root, the Celery app, turns, leases, and the embedded services."""
