"""What gauges show of one sample, for whoever draws it: figures, bars, sentences, and lines for terminals."""
