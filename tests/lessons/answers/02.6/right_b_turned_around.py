"""{collection: job}, turned around."""

jobs = {"Array": "c", "Bag": "b", "DataFrame": "a", "Delayed": "d", "Futures": "e"}
collections = {job: name for name, job in jobs.items()}
