"""What a person sees of a cluster: its card, progress, live text, pages of the dashboard and the way to widgets."""
