"""The question bank: what authors write about a lesson, reading it, and taking it over from other tools."""
