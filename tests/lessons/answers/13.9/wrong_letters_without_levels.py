order = "C B A G E D I K H"
