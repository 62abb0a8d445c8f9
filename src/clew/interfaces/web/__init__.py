"""The page: what clew knows, shown in a browser and answered there (docs/reference/page.md). Needs the extra `web`."""
