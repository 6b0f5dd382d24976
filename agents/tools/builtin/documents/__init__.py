"""Documents as agents read them: any common format as text, cut into passages that can be searched and cited."""
