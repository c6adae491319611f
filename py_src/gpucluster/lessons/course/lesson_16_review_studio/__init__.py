"""Lesson 16: Review studio: exam, cards, advice, certificate."""
