"""Traces over OpenTelemetry: to a collector by the standard OTEL_* variables, to a file, to memory, or nowhere."""
