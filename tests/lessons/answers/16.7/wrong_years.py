"""Wrong: years instead of letters."""

order = [1943, 1957, 1972, 1986, 1997, 2007, 2012, 2015, 2017]
