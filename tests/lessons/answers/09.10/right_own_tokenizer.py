"""Right: without shlex: reads sign by sign and knows both kinds of quotes and the backslash."""


def _words(line):
    words, word, quote, escaped = [], None, "", False
    for sign in line:
        if escaped:
            word, escaped = (word or "") + sign, False
        elif sign == "\\" and quote != "'":
            word, escaped = word or "", True
        elif quote:
            if sign == quote:
                quote = ""
            else:
                word += sign
        elif sign in "'\"":
            word, quote = word or "", sign
        elif sign.isspace():
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + sign
    return words if word is None else words + [word]


def read_launch(line):
    words = _words(line)
    position, ranks, environment = 0, 0, {}
    while words[position] != "python":
        word = words[position]
        if word in ("-np", "-hostfile"):
            position += 1
            if word == "-np":
                ranks = int(words[position])
        elif "=" in word:
            cut = word.index("=")
            environment[word[:cut]] = word[cut + 1 :]
        position += 1
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": words[position:]}
