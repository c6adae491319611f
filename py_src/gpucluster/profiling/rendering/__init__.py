"""A report as text, as HTML, as a picture and as a Bokeh figure, and where it is shown."""
