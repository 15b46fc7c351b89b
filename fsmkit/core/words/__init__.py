"""Words of the engine: messages, suggestions and texts. They are given strings, not machines."""
