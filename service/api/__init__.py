"""The HTTP API: routers and schemas over the store. Never imports core."""
