"""The team that looks orders up and refunds a share of what was paid for one."""
