"""The orchestrator decides: it plans, dispatches, collects, reviews, escalates; it knows no model, no Celery worker."""
