order = "F C I E D B A"
