"""The team that checks claims against papers: two independent sources or no verdict, a person where they disagree."""
