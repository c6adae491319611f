order = "B I H C G F J D"
