"""Rules about a report: each looks for one bottleneck, and says what shows it and what to try."""
