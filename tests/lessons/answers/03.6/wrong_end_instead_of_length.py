"""The third number is the end, not the length."""


def bars(records):
    rows = {(record["worker"], record["thread"]) for record in records}
    row_of = {name: row for row, name in enumerate(sorted(rows))}
    zero = min(record["startstops"][-1]["start"] for record in records)
    return [
        (
            row_of[record["worker"], record["thread"]],
            record["startstops"][-1]["start"] - zero,
            record["startstops"][-1]["stop"] - zero,
            record["key"],
        )
        for record in records
    ]
