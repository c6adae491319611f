order = "C J G E D F A B"
