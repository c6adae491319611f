order = "D H I A F B G C"
