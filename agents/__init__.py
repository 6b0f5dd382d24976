"""Agents think: the ReAct loop, its models, its tools and the teams; they know no database and no broker."""
