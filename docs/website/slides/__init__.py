"""Slides of the lessons, from the same source as their notebooks: reveal.js by sphinx-revealjs, and PDF by Chromium."""
