"""The results of a class: as a page, and as a table for spreadsheets."""
