"""What runs in the learner's kernel, among the learner's own code: nothing that it says is believed."""
