"""A bar begins with the transfer."""


def bars(records):
    rows = {(record["worker"], record["thread"]) for record in records}
    row_of = {name: row for row, name in enumerate(sorted(rows))}
    zero = min(record["startstops"][0]["start"] for record in records)
    return [
        (
            row_of[record["worker"], record["thread"]],
            record["startstops"][0]["start"] - zero,
            record["startstops"][-1]["stop"] - record["startstops"][0]["start"],
            record["key"],
        )
        for record in records
    ]
