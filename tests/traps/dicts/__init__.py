"""Programs that keep their state in dicts and lists."""
