"""Words of the engine: messages, suggestions and texts. They take strings, not machines."""
