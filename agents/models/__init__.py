"""Models: one port (`base.Model`) and its adapters: OpenAI-compatible endpoints and playbooks."""
