"""Functions of arrays, compiled as a whole where the arrays are of a library that does that: JAX.

Operation by operation JAX takes longer to be asked than a device to answer. NumPy's arrays, and
those of libraries that answer at once, take the function as it stands, which is the reference.
"""

from collections.abc import Callable, Hashable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

import array_api_compat

P = ParamSpec("P")
T = TypeVar("T")
#: Functions, with what was not an array, whose course depends on numbers.
_uncompiled: set[Hashable] = set()


def compiles(x: object) -> bool:
    """Tell whether the library of an array compiles functions."""
    return array_api_compat.is_jax_array(x)


def few_shapes(count: int) -> int:
    """Return the next power of two: what is compiled once a shape sees few of them."""
    return 1 << (count - 1).bit_length()


def compiled(function: Callable[P, T]) -> Callable[P, T]:
    """Compile a function where it is given arrays of JAX, once a shape.

    What it is given beside arrays (a space, None) is a part of what is compiled, and hashable. A
    function whose course depends on numbers cannot be compiled, and runs as it stands.
    """

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        fixed = tuple(i for i, one in enumerate(args) if not compiles(one))
        if len(fixed) == len(args):
            return function(*args, **kwargs)
        key = (function, tuple((i, args[i]) for i in fixed))
        if key in _uncompiled:
            return function(*args, **kwargs)
        from jax.errors import JAXTypeError

        try:
            found: T = _compiled(function, fixed)(*args, **kwargs)
        except JAXTypeError:
            _uncompiled.add(key)
            return function(*args, **kwargs)
        return found

    return run


@cache
def _compiled(function: Callable[..., Any], fixed: tuple[int, ...]) -> Callable[..., Any]:
    import jax

    return jax.jit(function, static_argnums=fixed)


def either(condition: Any, yes: Callable[[], T], no: Callable[[], T]) -> T:
    """Do one thing or the other; also where it will be known only when a compiled function runs."""
    if compiles(condition):
        from jax import core, lax

        if isinstance(condition, core.Tracer):
            found: T = lax.cond(condition, yes, no)
            return found
    return yes() if bool(condition) else no()
