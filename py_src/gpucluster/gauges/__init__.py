"""What gauges show of one sample, for whoever draws it: bars, sentences, and lines for terminals."""
