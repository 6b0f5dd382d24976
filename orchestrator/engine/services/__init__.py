"""Services: the engine's I/O. They read, let a pure station decide, apply its changes and send wake-ups."""
