"""Teams that ship with Remit, a folder each: the team file, its prompts, its playbook."""
