"""Times since 1970."""


def bars(records):
    rows = {(record["worker"], record["thread"]) for record in records}
    row_of = {name: row for row, name in enumerate(sorted(rows))}
    min(record["startstops"][-1]["start"] for record in records)
    return [
        (
            row_of[record["worker"], record["thread"]],
            record["startstops"][-1]["start"],
            record["startstops"][-1]["stop"] - record["startstops"][-1]["start"],
            record["key"],
        )
        for record in records
    ]
