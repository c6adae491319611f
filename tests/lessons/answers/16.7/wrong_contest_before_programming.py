order = "D H I A F G B C E"
