# %% right one_liner: Sorted with a negative count.
def search(cards, query):
    words = set(query.casefold().split())
    hits = [c for c in cards if words and all(w in f"{c['front']}\n{c['back']}".casefold() for w in words)]
    return [c["id"] for c in sorted(hits, key=lambda c: -sum(w in c["front"].casefold() for w in words))]

# %% right regex
import re


def search(cards, query):
    patterns = [re.compile(re.escape(word), re.IGNORECASE) for word in dict.fromkeys(query.lower().split())]
    if not patterns:
        return []
    hits = [card for card in cards if all(p.search(card["front"]) or p.search(card["back"]) for p in patterns)]
    return [
        card["id"]
        for card in sorted(hits, key=lambda c: sum(bool(p.search(c["front"])) for p in patterns), reverse=True)
    ]

# %% wrong any: One of the words is enough.
# fails: No other card is found
# ~ words and all( => any(

# %% wrong back_only, edit of the solution
# fails: Every card with all the words is found
# ~ f"{card['front']}\n{card['back']}".lower() => card["back"].lower()

# %% wrong c_how_often, edit of the solution: Counts how often the words stand on the front, not how many of them.
# fails: Cards with more of the words on the front come first, others in the given order
# ~ -sum(word in card["front"].lower() for word in words) => -sum(card["front"].lower().count(word) for word in words)

# %% wrong case: Capital and small letters differ.
# fails: Every card with all the words is found
# ~ f"{c['front']}\n{c['back']}".casefold() => c["front"] + " " + c["back"]

# %% wrong empty_query: An empty query finds all cards.
# fails: A query without words finds nothing
# ~ words and all( => all(
