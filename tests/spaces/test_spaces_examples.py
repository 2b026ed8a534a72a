"""Small functions of the spaces, by examples that can be checked in the head."""

import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.spaces.admission import Admitted, in_doubles, replace_gaps
from geomdp.spaces.axes import Axes
from geomdp.spaces.ball import Ball, project_into
from geomdp.spaces.base import percent
from geomdp.spaces.correlation import (
    CorrelationShape,
    _condition_bound,
    from_off_log,
    hessian,
    with_unit_diagonal,
)
from geomdp.spaces.embedding import root_above
from geomdp.spaces.forms import (
    laplacian,
    mesh_waves,
    outline_waves,
    roots_of,
    saving,
    tangent_basis,
)
from geomdp.spaces.model_sphere import hessian_floor, log_diameter, log_diameter_bound
from geomdp.spaces.numerics.decompositions import recompute, row_by_row
from geomdp.spaces.numerics.elementary import angle_over_sine
from geomdp.spaces.numerics.linalg import (
    all_finite,
    beside,
    last_axis,
    row_norm,
    row_product,
    tree_sum,
    within_reach,
)
from geomdp.spaces.numerics.pieces import (
    COLUMNS,
    Room,
    add_multiples,
    dot,
    in_pieces,
    kept,
    on_all_cores,
    over_rows,
)
from geomdp.spaces.numerics.shape_floats import phase
from geomdp.spaces.numerics.small_eigh import _lower_rows, eigh, values
from geomdp.spaces.numerics.spd_series import log1p_polynomial, log_sum
from geomdp.spaces.numerics.spd_small import log1p_sum, spectrum, upper_rows
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.rotations import RotationShape, _from_matrices, _product, _to_matrices
from geomdp.spaces.rows import (
    as_real,
    declared_shape,
    each,
    is_table,
    number,
    numbers,
    plain,
    real_number,
    real_rows,
    require_as_many,
    require_ordered,
    require_shape,
    rows_of,
    without_point,
)
from geomdp.spaces.size_and_shape import centred, fitted, fitted_within, horizontal_frame, rank
from geomdp.spaces.symmetric import (
    from_vector,
    surely_spd,
    symmetrized,
    to_ldl,
    to_vector,
)


def test_percent():
    assert [percent(share) for share in (0.0202, 20.0)] == ["2.02%", "a factor of 21"]


def test_replace_gaps():
    rows = np.array([[1.0, np.nan], [3.0, 4.0]])
    assert (replace_gaps(rows, np.zeros(2)), rows.tolist()) == (
        {0: "entry 1 is missing or infinite"},
        [[0.0, 0.0], [3.0, 4.0]],
    )


def test_in_doubles():
    assert (in_doubles(np.ones(2, dtype=np.complex64)).dtype.name, in_doubles("north")) == (
        "complex128",
        "north",
    )


def test_admitted():
    import numpy as np

    assert (
        Admitted(np.zeros((3, 2)), {1: "it has a missing or infinite entry"}).under("public").shape
    ) == (3, 2)


def test_project_into():
    ball = dp.Ball(dp.Euclidean(2), center=[0.0, 0.0], radius=1.0)
    assert (project_into(ball, np.array([0.0, 9.0])).round(6).tolist()) == [0.0, 1.0]
    assert (project_into(ball, np.array([0.0, np.inf])).tolist()) == [0.0, 0.0]


def test_from_json_of_ball():
    assert (Ball.from_json(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5).to_json()).radius) == 0.5


def test_log_sum_of_space():
    assert (dp.Euclidean(2).log_sum(np.zeros(2), np.ones((3, 2))).tolist()) == [3.0, 3.0]


def test_hessian():
    assert (hessian(np.zeros(2), np.eye(2)).tolist()) == [[1.0, 0.0], [0.0, 1.0]]


def test_with_unit_diagonal():
    assert (with_unit_diagonal(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()) == [
        [1.0, 0.5],
        [0.5, 1.0],
    ]


def test_from_off_log():
    assert (from_off_log(np.array([[0.0, 1.0], [1.0, 0.0]])).round(4).tolist()) == [
        [1.0, 0.7616],
        [0.7616, 1.0],
    ]


def test_condition_bound():
    assert _condition_bound(2, 1.0) > float(np.exp(np.sqrt(2.0)))


def test_correlationshape():
    shape = CorrelationShape((2, 2), symmetric=True)
    assert (shape.unpack(np.array([[0.5]]), "lower")[0].tolist()) == [[1.0, 0.5], [0.5, 1.0]]
    assert (shape.pack(np.array([[1.0, 0.5], [0.5, 1.0]]), 1, "lower").tolist()) == [0.5]


def test_root_above():
    assert (
        repr((root_above(Fraction(4)), root_above(Fraction(2)) ** 2 > 2))
        == "(Fraction(2, 1), True)"
    )


def test_flatspace():
    import numpy as np

    from geomdp.spaces import SPD, Correlation

    assert (
        SPD(1, "log-euclidean").log(np.array([[2.0]]), np.array([[8.0]])).round(6).item()
    ) == 1.386294
    assert Correlation(3).linear


def test_laplacian():
    assert (laplacian([[0, 1, 2]], 3).tolist()) == [
        [2.0, -1.0, -1.0],
        [-1.0, 2.0, -1.0],
        [-1.0, -1.0, 2.0],
    ]


def test_mesh_waves():
    tetrahedron = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
    assert (mesh_waves(tetrahedron, 4)[0].round(6).tolist()) == [0.0, 1.0, 1.0, 1.0]


def test_outline_waves():
    assert (outline_waves(4)[0].tolist()) == [0.0, 1.0, 2.0, 1.0]


def test_roots_of():
    assert ([root.tolist() for root in roots_of(np.diag([4.0, 1.0]))]) == [
        [[2.0, 0.0], [0.0, 1.0]],
        [[0.5, 0.0], [0.0, 1.0]],
    ]


def test_saving():
    assert 1.1 < saving(np.diag([1.5, 0.5])) < 1.3


def test_tangent_basis():
    basis = tangent_basis(dp.Sphere(2), np.array([0.0, 0.0, 1.0]))
    assert (basis.shape, np.allclose(basis @ basis.T, np.eye(2))) == ((2, 3), True)


def test_log_diameter_bound():
    assert (round(log_diameter_bound(np.pi / 8) / (np.pi / 4), 4)) == 1.0265


def test_log_diameter():
    radius = np.pi / 8
    assert (
        repr(np.round(log_diameter(radius, np.array([0.0, radius])) / (2 * radius), 4))
        == "array([1.    , 1.0265])"
    )


def test_hessian_floor():
    assert (round(float(hessian_floor((np.pi / 4) ** 2)), 6)) == 0.785398
    assert repr(hessian_floor(np.array([-3.0, 0.0]))) == "array([1., 1.])"


def test_recompute():
    halves = recompute(
        np.array([False, True]), lambda x: (x / 2,), (np.zeros((2, 1, 1)),), np.ones((2, 1, 1))
    )
    assert (halves[0].ravel().tolist()) == [0.0, 0.5]


def test_row_by_row():
    assert (
        repr(row_by_row(np.linalg.cholesky, np.array([[[4.0]], [[-1.0]]]), (1, 1)).ravel().tolist())
        == "[2.0, nan]"
    )


def test_angle_over_sine():
    assert (angle_over_sine(np.array([1.0, 0.0])).round(6).tolist()) == [1.0, 1.570796]


def test_all_finite():
    assert (all_finite(np.array([[1.0, np.inf], [1e308, 1e308]]), 1).tolist()) == [False, True]


def test_tree_sum():
    assert (tree_sum(np.arange(10.0).reshape(5, 2)).tolist()) == [20.0, 25.0]


def test_row_norm():
    assert (row_norm(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()) == [[5.0], [0.0]]


def test_row_product():
    assert (
        row_product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0], [10.0]])).tolist()
    ) == [[21.0], [43.0]]


def test_last_axis():
    assert (last_axis(3, np.empty(0)).tolist()) == [0.0, 0.0, 1.0]


def test_beside():
    assert (beside(np.ones(2), np.zeros(3)).tolist()) == [1.0, 1.0]


def test_within_reach():
    assert (within_reach(np.array([[1e300, 0.0], [3.0, 4.0]]), 1)[1].tolist()) == [3.0, 4.0]


def test_add_multiples():
    room = Room(np.empty((2, 9)), np.empty((2, 9)), np.empty((COLUMNS, 2, 1)), np.ones(9))
    assert (
        repr(add_multiples(np.zeros((2, 9)), np.array([[2.0], [3.0]]), np.ones((2, 9)), room)[:, 0])
        == "array([2., 3.])"
    )


def test_dot():
    assert (dot(np.array([1.0, 2.0]), np.array([3.0, 4.0])).tolist()) == [11.0]


def test_in_pieces():
    assert (
        in_pieces(
            lambda p, q, out, room: np.subtract(p, q, out=out), np.ones(2), np.zeros((3, 2)), 2
        ).tolist()
    ) == [[1.0, 1.0], [1.0, 1.0], [1.0, 1.0]]


def test_on_all_cores():
    assert (
        on_all_cores(lambda p, q: q - p, np.eye(2), np.ones((3, 2, 2)), (2, 2))[2].tolist()
    ) == [[0.0, 1.0], [1.0, 0.0]]


def test_over_rows():
    x = np.arange(5)
    over_rows(lambda rows: np.multiply(x[rows], 2, out=x[rows]), 5, 2)
    assert (x.tolist()) == [0, 2, 4, 6, 8]


def test_kept():
    assert (kept("nothing", 2, 3).shape) == (2, 3)


def test_phase():
    assert (phase(np.array([2j, 0.0])).tolist()) == [1j, (1 + 0j)]


def test_lower_rows():
    assert (_lower_rows(np.arange(4.0)[None], 2).ravel().tolist()) == [0.0, 2.0, 3.0]


def test_values():
    assert (values(np.array([[[2.0, 1.0], [1.0, 2.0]]])).round(12).tolist()) == [[1.0, 3.0]]


def test_eigh():
    values, vectors = eigh(np.array([[[2.0, 1.0], [1.0, 2.0]]]))
    assert (values.round(12).tolist(), np.abs(vectors).round(6).tolist()) == (
        [[1.0, 3.0]],
        [[[0.707107, 0.707107], [0.707107, 0.707107]]],
    )


def test_log1p_polynomial():
    first, blocks = log1p_polynomial(4)
    powers = 0.1 ** np.arange(1, blocks.size + 1)
    assert bool(abs(first + blocks.ravel() @ powers - np.log(1.1)) < 1e-15)


def test_log_sum():
    total, wide = log_sum(np.array([np.diag([np.e, 1.0]), np.diag([1.0, -1.0])]), None)
    assert ((total.round(12) + 0.0).tolist(), wide.tolist()) == (
        [[1.0, 0.0], [0.0, 0.0]],
        [False, True],
    )


def test_spectrum():
    assert (spectrum(np.eye(2), 3 * np.eye(2)[None], np.eye(2)).ravel().tolist()) == [2.0, 2.0]


def test_upper_rows():
    assert (upper_rows(np.eye(2)[None], 2 * np.eye(2)).T.tolist()) == [[4.0, 0.0, 4.0]]


def test_log1p_sum():
    w = np.array([[np.e - 1, 0.0], [0.0, 0.0], [0.0, -2.0]])
    total, wide = log1p_sum(w, None)
    assert (total.round(12).tolist(), wide.tolist()) == ([[1.0, 0.0], [0.0, 0.0]], [False, True])


def test_flat_sizes_of_recordshape():
    assert (RecordShape((3, 3), symmetric=True).flat_sizes, RecordShape((3,)).flat_sizes) == (
        (6, 9),
        (3,),
    )


def test_to_matrices():
    import numpy as np

    assert (_to_matrices(np.array([0.0, 0.0, 0.0, 1.0])).tolist()) == [
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
    ]


def test_from_matrices():
    import numpy as np

    assert (_from_matrices(np.diag([-1.0, -1.0, 1.0])).tolist()) == [0.0, 0.0, 1.0, 0.0]
    assert (_from_matrices(np.diag([1.0, 1.0, -1.0])).tolist()) == [0.0, 0.0, 0.0, 0.0]


def test_of_a_pair_the_last_entry_that_is_not_0_is_positive():
    axis = Axes(3).canonical(np.array([[0.0, 0.6, 0.0, -0.8], [0.0, 0.6, -0.8, 0.0]]))
    assert axis.tolist() == [[0.0, -0.6, 0.0, 0.8], [0.0, -0.6, 0.8, 0.0]]


def test_product():
    import numpy as np

    i, j = np.eye(4)[0], np.eye(4)[1]
    assert (_product(i, j).tolist()) == [0.0, 0.0, 1.0, 0.0]


def test_rotationshape():
    shape = RotationShape((4,))
    assert (shape.unpack(np.eye(3).reshape(1, 9), "lower").tolist()) == [[0.0, 0.0, 0.0, 1.0]]
    assert (shape.pack(np.array([0.0, 0.0, 0.0, 1.0]), 9, "lower").tolist()) == [
        1.0,
        0.0,
        0.0,
        0.0,
        1.0,
        0.0,
        0.0,
        0.0,
        1.0,
    ]


def test_require_as_many():
    with pytest.raises(
        GeomdpError, match=re.escape("20 records went in and 3 rows came out, so that nothing is")
    ):
        require_as_many(3, 20)


def test_require_shape():
    with pytest.raises(GeomdpError, match=re.escape("it has shape (3,), not (2,) or (2, 2)")):
        require_shape((3,), (2,), (2, 2))


def test_real_rows():
    found = real_rows([[1, 2], [3, 4, 5], [1j, 2]], (2,))
    assert (
        repr((found.numbers.tolist(), list(found.invalid)))
        == "([[1.0, 2.0], [nan, nan], [nan, nan]], [1, 2])"
    )


def test_rows_of():
    found = rows_of([[1, 2], "north", [3, 4]], numbers, np.full(2, np.nan))
    assert (
        repr((found.numbers.tolist(), found.invalid))
        == "([[1.0, 2.0], [nan, nan], [3.0, 4.0]], {1: 'it is no array of numbers'})"
    )


def test_declared_shape():
    assert (declared_shape(np.zeros((5, 2, 2))), declared_shape([[1, 2]])) == ((2, 2), None)


def test_plain():
    assert (plain(np.ones((1, 2), dtype=np.float32)).dtype.name, plain([[1.0, 2.0]])) == (
        "float64",
        None,
    )


def test_is_table():
    assert not is_table(np.zeros((2, 3)))


def test_require_ordered():
    with pytest.raises(
        GeomdpError, match=re.escape("Records come one a row: an array, a frame, or a list, with")
    ):
        require_ordered({"x": [1.0, 2.0]})


def test_each():
    assert ([len(record) for record in each([[1, 2], "abc"])]) == [2, 3]


def test_as_real():
    assert (as_real(np.array([[1 + 0j, 2], [1j, 0]])).invalid) == {1: "it has complex entries"}


def test_numbers():
    assert (
        repr((numbers([1, "0.5", None]).tolist(), numbers(np.eye(2, dtype=np.float32)).dtype.name))
        == "([1.0, 0.5, nan], 'float64')"
    )
    with pytest.raises(GeomdpError, match=re.escape("it is no array of numbers")):
        numbers({"a": 1})


def test_real_number():
    assert (
        repr([real_number(cell) for cell in ("90", 90 + 0j, "old", 1j)]) == "[90.0, 90.0, nan, nan]"
    )


def test_without_point():
    assert (
        repr([without_point(cell) for cell in (7, 7.0, 0.5, "7.0", math.inf)])
        == "[7, 7, 0.5, '7.0', inf]"
    )


def test_number():
    assert (
        repr(
            [
                number(cell)
                for cell in (7, True, Decimal("0.5"), " 1.5 ", b"2", None, "n/a", 10**400)
            ]
        )
        == "[7.0, 1.0, 0.5, 1.5, 2.0, nan, nan, inf]"
    )


def test_horizontal_frame():
    assert (
        horizontal_frame(np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]]), scale=True).shape
    ) == (2, 3, 2)


def test_fitted_within():
    assert (
        round(fitted_within(np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])), 4)
    ) == 1.4142


def test_rank():
    assert (rank(np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))) == 1


def test_fitted():
    square = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    assert bool(np.allclose(fitted(square[[1, 2, 3, 0]], square), square))


def test_centred():
    assert (centred(np.array([[1.0, 0.0], [3.0, 4.0]])).tolist()) == [[-1.0, -2.0], [1.0, 2.0]]


def test_rough_mean_of_spdpoints():
    assert (dp.SPD(1).rough_mean(np.array([[[1.0]], [[3.0]]])).tolist()) == [[2.0]]


def test_symmetrized():
    assert (symmetrized(np.array([[1.0, 1e308], [1e308, 1.0]])).tolist()) == [
        [1.0, 1e308],
        [1e308, 1.0],
    ]


def test_surely_spd():
    assert (surely_spd(np.eye(2)), surely_spd(np.full((2, 2), 1e300)), surely_spd(-np.eye(2))) == (
        True,
        False,
        False,
    )


def test_to_ldl():
    assert (to_ldl(np.array([[1.0, 0.5], [0.5, 1.25]])).tolist()) == [0.0, 0.0, 0.5]


def test_from_vector():
    assert (from_vector(np.array([1.0, 3.0, np.sqrt(8)]), 2).round(3).tolist()) == [
        [1.0, 2.0],
        [2.0, 3.0],
    ]


def test_to_vector():
    assert (to_vector(np.array([[1.0, 2.0], [2.0, 3.0]])).round(3).tolist()) == [1.0, 3.0, 2.828]
