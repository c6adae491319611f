order = "D H A I F B G C E"
