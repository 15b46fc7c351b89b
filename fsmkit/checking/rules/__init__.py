"""The rules: each looks for one kind of mistake in a machine, and yields findings."""
