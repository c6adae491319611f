order = "E C G B F A I H D"
