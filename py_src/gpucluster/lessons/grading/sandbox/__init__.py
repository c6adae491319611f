"""What holds a submission back: its folder, what Linux refuses it, and how much it may use."""
