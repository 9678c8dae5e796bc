"""Finding memories: what a text is made of, and which memories answer a question."""
