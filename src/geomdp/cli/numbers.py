"""Numbers as people type them: a slip is answered with what to write instead."""

import math
import re

import typer

_DEGREES = re.compile(r"(.+?)\s*(?:°|deg|degs|degree|degrees)", re.IGNORECASE)


def read_number(text: str) -> float:
    """Read a decimal number.

    Examples
    --------
    >>> read_number("0.3")
    0.3
    >>> read_number("0,3")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    click.exceptions.BadParameter: '0,3' has a decimal comma; write 0.3
    >>> read_number("30deg")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    click.exceptions.BadParameter: '30deg' is in degrees; distances are in radians: write 0.523599
    """
    number = _float(text)
    if number is not None:
        return number
    angle = _DEGREES.fullmatch(text.strip())
    degrees = None if angle is None else _float(angle[1].replace(",", "."))
    if degrees is not None:
        instead = f"{math.radians(degrees):.6g}"
        raise typer.BadParameter(
            f"{text!r} is in degrees; distances are in radians: write {instead}"
        )
    if _float(text.replace(",", ".")) is not None:
        raise typer.BadParameter(
            f"{text!r} has a decimal comma; write {text.replace(',', '.').strip()}"
        )
    raise typer.BadParameter(f"{text!r} is not a number; write one such as 0.3")


def read_count(text: str) -> int:
    """Read a number of records.

    Examples
    --------
    >>> read_count("1000")
    1000
    >>> read_count("1e3")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    click.exceptions.BadParameter: '1e3' is not written as a whole number; write 1000
    """
    plain = text.strip()
    if re.fullmatch(r"[+-]?\d+", plain):
        return int(plain)
    thousands = re.fullmatch(r"\d{1,3}(?:[,.'_ ]\d{3})+", plain)
    number = _float(re.sub(r"\D", "", plain)) if thousands else _float(plain)
    if number is not None and abs(number) < 1e15 and number == round(number):
        raise typer.BadParameter(f"{text!r} is not written as a whole number; write {int(number)}")
    raise typer.BadParameter(f"{text!r} is not a whole number of records; write one such as 1000")


def _float(text: str) -> float | None:
    try:
        number = float(text.strip().replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
