SHARES, GAINS = {"A", "E"}, {"B", "F"}
NAMED, DATED = set("CDF"), set("CE")
missing = {}
for claim in "ABCDEF":
    missing[claim] = frozenset(
        word
        for word, lacks in [
            ("source", claim not in NAMED),
            ("date", claim not in DATED),
            ("sample", claim in SHARES),
            ("baseline", claim in GAINS - {"F"}),
        ]
        if lacks
    )
