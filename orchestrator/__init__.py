"""The orchestrator decides: it plans, dispatches, collects, reviews and escalates, and knows no model and no Celery worker."""
