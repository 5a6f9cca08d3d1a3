"""Makes pages of HTML that show a function and its derivative side by side."""
