"""Display of a cluster: card, progress, live text, pages of the dashboard, and the interface to widgets."""
