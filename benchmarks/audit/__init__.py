"""What filled a context, and rules files: how far the audit can be trusted."""
