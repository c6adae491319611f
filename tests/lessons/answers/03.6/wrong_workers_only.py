"""Two threads of one worker share a row."""


def bars(records):
    rows = {record["worker"] for record in records}
    row_of = {name: row for row, name in enumerate(sorted(rows))}
    zero = min(record["startstops"][-1]["start"] for record in records)
    return [
        (
            row_of[record["worker"]],
            record["startstops"][-1]["start"] - zero,
            record["startstops"][-1]["stop"] - record["startstops"][-1]["start"],
            record["key"],
        )
        for record in records
    ]
