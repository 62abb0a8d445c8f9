"""The GitHub issue as a checkpoint: a task's state pushed into an issue, and what people make of it taken back
(docs/guide/09-issues.md). `body` is pure, and so is what `merging` decides; the others ask ledger and tracker.
"""
