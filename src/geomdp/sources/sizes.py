"""How many records the blocks hold that answer by themselves: public, whatever the records are."""

#: Numbers, or rows, that a block holds at least unless it is one piece of a sum: the rounding of
#: sums counts on few of them (docs/theory/tolerance.md).
LEAST_NUMBERS, LEAST_ROWS = 1 << 20, 1 << 16
#: Numbers up to which a block is one piece: half of a piece's, as an admitted record may take twice
#: the numbers of a raw one. Such blocks may be as small as they like, but not too many.
PIECE_NUMBERS, MOST_PIECES = 1 << 15, 1 << 12


def block_sizes(sizes: tuple[int, ...], width: int) -> tuple[int, ...]:
    """Return the blocks that neighbouring parts of these sizes make.

    Parameters
    ----------
    sizes
        Rows of the parts, in order.
    width
        Numbers of a row.

    Examples
    --------
    >>> block_sizes((4, 4, 4, 1), width=9), block_sizes((4, 5, 4), width=9)
    ((4, 4, 4, 1), (13,))
    """
    if 0 < len(sizes) <= MOST_PIECES and _one_piece_each(sizes, width):
        return sizes
    return joined_sizes(sizes, max(1, min(LEAST_ROWS, LEAST_NUMBERS // width)))


def _one_piece_each(sizes: tuple[int, ...], width: int) -> bool:
    """Tell whether all parts are of one size, the last perhaps shorter, and small."""
    first, last = sizes[0], sizes[-1]
    alike = all(size == first for size in sizes[:-1]) and 0 < last <= first
    return alike and first * width <= PIECE_NUMBERS


def joined_sizes(sizes: tuple[int, ...], least: int) -> tuple[int, ...]:
    """Join neighbouring blocks until each but the last has at least so many rows.

    >>> joined_sizes((4, 4, 4, 9, 1), 8), joined_sizes((0,), 8)
    ((8, 13, 1), (0,))
    """
    joined = [0]
    for size in sizes:
        if joined[-1] >= least:
            joined.append(0)
        joined[-1] += int(size)
    return tuple(joined)
