"""Wake-ups over Celery: the producer's side, which knows the worker's task by its name only."""
