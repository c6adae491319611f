order = "D H I A B F G C E"
