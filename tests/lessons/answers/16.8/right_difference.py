"""Right: what each claim needs, minus what it has."""

_BASE = {"source", "date"}
_needs = {
    "A": _BASE | {"sample"},
    "B": _BASE | {"baseline"},
    "C": _BASE,
    "D": _BASE,
    "E": _BASE | {"sample"},
    "F": _BASE | {"baseline"},
}
_has = {"A": set(), "B": set(), "C": {"source", "date"}, "D": {"source"}, "E": {"date"}, "F": {"source", "baseline"}}
missing = {claim: _needs[claim] - _has[claim] for claim in _needs}
