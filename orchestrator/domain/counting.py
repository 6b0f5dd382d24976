"""Counts as people write them."""


def counted(count: int, one: str, many: str = "") -> str:
    """`1 run`, `2 runs`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
