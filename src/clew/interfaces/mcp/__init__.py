"""The MCP server: what agents call as tools (docs/reference/mcp.md)."""
