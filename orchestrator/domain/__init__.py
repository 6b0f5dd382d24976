"""The domain: goal, plan, run, subtask, steps, findings, tickets, evidence: frozen data and pure rules."""
