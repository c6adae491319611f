# %% right joined
order = "".join(["DHIAFBGCE"])

# %% right small_letters
order = "d,h,i,a,f,b,g,c,e"

# %% right text
order = "D H I A F B G C E"

# %% wrong alphabet
# fails: Each line comes after the lines that it needs
order = "A B C D E F G H I"

# %% wrong eight: Eight letters only.
# fails: No line is missing
order = "A B C D E F G H"

# %% wrong example: The three letters of the example, not nine.
# fails: All letters are among A, B, C, D, E, F, G, H, I
order = "X Y Z"

# %% wrong one_letter: One letter nine times.
# fails: Each line is used at most once
order = "A A A A A A A A A"

# %% wrong one_missing
# fails: No line is missing
order = "D H I A F B G C"

# %% wrong years: Years instead of letters.
# fails: It is a text of letters such as "B A D C", or a list of letters or of (letter, indentation)
order = [1943, 1957, 1972, 1986, 1997, 2007, 2012, 2015, 2017]
