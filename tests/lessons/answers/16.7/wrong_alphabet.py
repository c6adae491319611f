order = "A B C D E F G H I"
