"""What is measured while a cluster runs: samples, their history, recordings and costs."""
