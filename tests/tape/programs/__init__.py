"""Programs that the tape runs as they are, by topic; written as users write them."""
