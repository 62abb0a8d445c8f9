"""The MCP server: what agents call as tools (docs/mcp.md)."""
