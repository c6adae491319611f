"""Questions, cards, Parsons problems and exams, and advice on what to repeat."""
