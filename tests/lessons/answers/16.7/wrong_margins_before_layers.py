order = "D I H A F B G C E"
