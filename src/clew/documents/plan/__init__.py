"""Plans as Markdown: read, written, written back, looked over; and the two prompts that are made of one."""
