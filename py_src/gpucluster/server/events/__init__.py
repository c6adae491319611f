"""The stream of events: one pump, and a WebSocket for each page."""
