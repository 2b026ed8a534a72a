"""Small numbers that the formulas of surfaces must give, one function at a time."""

import tempfile
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial import Delaunay

from geomdp.errors import GeomdpError
from geomdp.privacy import GDP
from geomdp.surfaces import (
    Recipe,
    Surface,
    make_template,
    mobius,
    procedural_face,
    procedural_terrain,
    register,
    require_disk,
    surface_from_points,
    template_face,
)
from geomdp.surfaces.batch import code_digest
from geomdp.surfaces.choosing import best_tau, typical_excess
from geomdp.surfaces.curves.radial import (
    RingCells,
    RingSpacing,
    carried_on_template,
    field_on_disk,
    regular_at_centre,
    ring_shares,
    ring_spacing,
)
from geomdp.surfaces.curves.road import Road, looks_partial
from geomdp.surfaces.disk.center import (
    center_vertex,
    middle,
    most_protruding,
    next_protruding,
    vertex_or_rule,
)
from geomdp.surfaces.disk.laplacian import (
    DirichletSolver,
    clamped_stiffness,
    cotangent_stiffness,
    cotangents,
    delaunay_flips,
    edge_lengths,
    intrinsic_delaunay_stiffness,
)
from geomdp.surfaces.disk.mapping import (
    angle_error,
    angle_errors,
    flipped_triangles,
    harmonic_measure_map,
    is_flipped,
    map_by_stiffness,
    move_center,
    signed_areas,
)
from geomdp.surfaces.disk.sampling import DiskInterpolant
from geomdp.surfaces.disk.triangulation import PlaneTriangulation
from geomdp.surfaces.mesh.meshio import read_obj, require_complete
from geomdp.surfaces.mesh.repair import split_triangles
from geomdp.surfaces.mesh.surface import Edges, half_edges
from geomdp.surfaces.mesh.topology import (
    boundary_loops,
    bulge,
    euler_characteristic,
    loop_lengths,
    loop_middle,
    smooth_rim,
    with_vertex_numbers,
)
from geomdp.surfaces.mesh.vtk_format import triangles_of
from geomdp.surfaces.mesh.xml_formats import (
    decoded,
    numbers_in,
    parse_xml,
    require_plausible_size,
    unpacked,
)
from geomdp.surfaces.records import curves_of, require_shape
from geomdp.surfaces.registration.diffeomorphism import (
    DiskDiffeomorphism,
    chart_basis,
    chart_on_rings,
    chart_values,
)
from geomdp.surfaces.registration.matching import (
    distance,
    require_energy,
    require_nearness,
    require_winding,
)
from geomdp.surfaces.registration.overlap import cut, find_overlap
from geomdp.surfaces.registration.srnf import (
    Motion,
    act,
    best_motion,
    best_turn,
    energy,
    kabsch,
    normal_field,
    triangle_fields,
)
from geomdp.surfaces.registration.zernike import (
    RingPolynomials,
    basis_degree,
    basis_size,
    zernike_basis,
)
from geomdp.surfaces.template import template_from_json, template_to_json, weighted_positions
from geomdp_papers.disk.automorphisms import best_automorphism


@cache
def face_template():
    return make_template(template_face())


# --- surfaces.batch


def test_code_digest():
    assert len(code_digest()) == 64


# --- surfaces.choosing


def test_best_tau():
    values = np.arange(1.0, 100) ** -3 / np.sum(np.arange(1.0, 100) ** -3)
    assert [best_tau(values, GDP(1), n) for n in (100, 10_000, 10**6)] == [0.028, 0.044, 0.068]


def test_typical_excess():
    assert (round(typical_excess(0.02, 0.02), 5), typical_excess(0.1, 0.02) < 1e-12) == (
        0.00235,
        True,
    )


# --- surfaces.curves.delivery


def test_carried_on_template():
    template = face_template()
    spacing = ring_spacing(template.surface, template.z)
    moved = carried_on_template(np.ones((8, 24, 3)), template, spacing)
    assert bool(np.allclose(moved.vertices, template.surface.vertices + 1))


def test_field_on_disk():
    ring = np.cos(2 * np.pi * np.arange(8) / 8)[:, None] * np.ones(3)
    tilt = np.arange(1, 5)[:, None, None] / 4 * ring
    assert field_on_disk(tilt, np.array([0.3]), np.array([0.0])).round(9).tolist() == [
        [0.3, 0.3, 0.3]
    ]


def test_regular_at_centre():
    lift = np.ones((4, 8, 3))
    assert np.allclose(regular_at_centre(lift), lift)


# --- surfaces.curves.radial


def test_ring_spacing():
    spacing = RingSpacing(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.2, 1.0]))
    assert (spacing.radius(0.75).round(9).tolist(), spacing.share(0.1).tolist()) == (0.6, 0.25)


def test_ring_spacing_again():
    face = template_face()
    z = face.vertices[:, 0] + 1j * face.vertices[:, 1]
    assert ring_spacing(face, z, "even").radius(0.3).tolist() == 0.3


def test_ring_shares():
    assert ring_shares(4).tolist() == [0.25, 0.5, 0.75, 1.0]


def test_ring_cells():
    disk = RingSpacing(np.array([0.0, 1.0]), np.array([0.0, 1.0]))
    assert RingCells(disk, 2, 8, 3).radii.round(3).tolist() == [0.333, 0.5, 0.667, 1.0, 1.0, 1.0]


# --- surfaces.curves.road


def test_road():
    road = Road(Recipe(rings=8, points=24), face_template())
    assert road.curves(procedural_face(1)).shape == (8, 24, 3)


def test_looks_partial():
    template = face_template()
    found = register(procedural_face(1), template, "homologous")
    assert looks_partial(found, np.zeros((4, 8, 3)), np.full((4, 8, 3), 0.1))


# --- surfaces.disk.automorphism


def test_move_center():
    assert abs(move_center(np.array([0.3 + 0.1j, 0.9]), 0)[0]) == 0.0


def test_best_automorphism():
    z = 0.9 * np.exp(1j * np.arange(7)) * np.linspace(0, 1, 7)
    a, angle = best_automorphism(z, mobius(z, 0.2 - 0.4j, 2.5))
    assert (bool(np.isclose(a, 0.2 - 0.4j)), bool(np.isclose(angle, 2.5))) == (True, True)


# --- surfaces.disk.center


def test_center_vertex():
    tent = Surface(
        [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1]],
        [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
    )
    boundary = np.arange(4)
    assert [
        center_vertex(tent, c, boundary) for c in (4, [0, 0, 0.9], "most-protruding", "middle")
    ] == [4, 4, 4, 4]


def test_vertex_or_rule():
    corner = Surface(np.eye(3), [[0, 1, 2]])
    assert (vertex_or_rule(corner, [0, 0.9, 0]), vertex_or_rule(corner, "most-protruding")) == (
        1,
        "most-protruding",
    )


def test_most_protruding():
    tent = Surface(
        [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1]],
        [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
    )
    assert most_protruding(tent, np.arange(4)) == 4


def test_middle():
    tent = Surface(
        [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1]],
        [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
    )
    assert middle(tent, np.arange(4)) == 4


def test_next_protruding():
    hills = procedural_terrain(3)
    loop = require_disk(hills)
    assert next_protruding(hills, loop) not in (None, most_protruding(hills, loop))


# --- surfaces.disk.distortion


def test_signed_areas():
    assert signed_areas(np.array([0, 1, 1j]), np.array([[0, 1, 2], [0, 2, 1]])).tolist() == [
        0.5,
        -0.5,
    ]


def test_is_flipped():
    assert is_flipped(
        np.array([0, 1, 1j, 2]), np.array([[0, 1, 2], [0, 2, 1], [0, 1, 3]])
    ).tolist() == [False, True, True]


def test_flipped_triangles():
    assert flipped_triangles(np.array([0, 1, 1j]), np.array([[0, 1, 2], [0, 2, 1]])) == 1


def test_angle_errors():
    flat = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert angle_errors(flat, np.array([0, 1, 2j])).round(2).tolist() == [[0.0, 18.43, -18.43]]


def test_angle_error():
    flat = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert angle_error(flat, np.array([0, 1, 1j]) * (2 + 1j)) < 1e-12


# --- surfaces.disk.laplacian


def test_edge_lengths():
    assert edge_lengths(
        np.array([[0.0, 0, 0], [3, 0, 0], [0, 4, 0]]), np.array([[0, 1, 2]])
    ).tolist() == [[5.0, 4.0, 3.0]]


def test_cotangents():
    assert bool(np.allclose(cotangents(np.array([[np.sqrt(2), 1, 1]])), [[0, 1, 1]]))


def test_cotangent_stiffness():
    corner = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert cotangent_stiffness(corner, np.array([[0, 1, 2]])).toarray().round(12).tolist() == [
        [1.0, -0.5, -0.5],
        [-0.5, 0.5, 0.0],
        [-0.5, 0.0, 0.5],
    ]


def test_intrinsic_delaunay_stiffness():
    kite = np.array([[-1.0, 0, 0], [1, 0, 0], [0, 0.1, 0], [0, -0.1, 0]])
    faces = np.array([[0, 1, 2], [0, 3, 1]])
    assert round(float(-cotangent_stiffness(kite, faces)[0, 1]), 3) == -4.95  # the long diagonal
    assert float(intrinsic_delaunay_stiffness(kite, faces)[0, 1]) == 0.0  # flipped away


def test_clamped_stiffness():
    corner = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]])
    K = cotangent_stiffness(corner, np.array([[0, 1, 2]]))
    assert round(float(-clamped_stiffness(K, np.array([False, True, False]))[1, 2]), 12) == 0.001


def test_delaunay_flips():
    short = float(np.hypot(1, 0.1))
    faces, lengths = delaunay_flips(
        np.array([[0, 1, 2], [1, 0, 3]]), np.array([[short, short, 2.0], [short, short, 2.0]])
    )
    assert (sorted(sorted(face) for face in faces.tolist()), round(float(lengths.min()), 12)) == (
        [[0, 2, 3], [1, 2, 3]],
        0.2,
    )


def test_dirichlet_solver():
    path = csr_array(np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]))
    assert DirichletSolver(path, np.array([0, 2])).extend(np.array([0.0, 1.0j])).tolist() == [
        0j,
        0.5j,
        1j,
    ]


def test_dirichlet_solver_harmonic_measure():
    path = csr_array(np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]))
    assert DirichletSolver(path, np.array([0, 2])).harmonic_measure(1).tolist() == [0.5, 0.5]


def test_dirichlet_solver_respond():
    path = csr_array(np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]))
    assert DirichletSolver(path, np.array([0])).respond(np.array([-1j, 0, 1j])).tolist() == [
        0j,
        1j,
        2j,
    ]


def test_dirichlet_solver_extend():
    path = csr_array(np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]))
    assert DirichletSolver(path, np.array([0])).extend(np.array([2.0 + 1j])).tolist() == [
        (2 + 1j),
        (2 + 1j),
        (2 + 1j),
    ]


# --- surfaces.disk.mapping


def test_harmonic_measure_map():
    tent = Surface(
        [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 1]],
        [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
    )
    z, laplacian = harmonic_measure_map(tent, 4, np.arange(4))
    assert (bool(np.allclose(z, [1, 1j, -1, -1j, 0])), laplacian) == (True, "cotangent")


def test_map_by_stiffness():
    wheel = np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0], [0, 0, 0]])
    K = cotangent_stiffness(wheel, np.array([[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]))
    z = map_by_stiffness(K, 4, np.arange(4), np.full(4, np.sqrt(2)))
    assert bool(np.allclose(z, [1, 1j, -1, -1j, 0]))


# --- surfaces.disk.triangulation


def test_plane_triangulation():
    corners = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1.1]])
    plane = PlaneTriangulation(corners)
    assert bool(np.allclose(plane.transform, Delaunay(corners).transform))


def test_sample():
    t = np.arange(12) * np.pi / 6
    z = np.concatenate([[0], 0.5 * np.exp(1j * t), np.exp(1j * t)])
    flat = surface_from_points(np.stack([z.real, z.imag, 0 * z.real], axis=1))
    assert bool(np.allclose(DiskInterpolant(flat, z)(np.array(0.3j)), [0, 0.3, 0], atol=1e-5))


def test_disk_interpolant():
    t = np.arange(12) * np.pi / 6
    z = np.concatenate([[0], 0.5 * np.exp(1j * t), np.exp(1j * t)])
    flat = surface_from_points(np.stack([z.real, z.imag, 0 * z.real], axis=1))
    assert DiskInterpolant(flat, z)(np.zeros((2, 5))).shape == (2, 5, 3)


# --- surfaces.mesh.meshio


def test_read_obj():
    path = Path(tempfile.mkdtemp()) / "square.obj"
    _ = path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1/1 2/2 3/3 4/4\n")
    assert read_obj(path)[1].tolist() == [[0, 1, 2], [0, 2, 3]]


def test_require_complete():
    path = Path(tempfile.mkdtemp()) / "triangle.off"
    _ = path.write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n")
    with pytest.raises(GeomdpError, match="it announces 4 lines of vertices and faces and has 2"):
        require_complete(path)


# --- surfaces.mesh.repair


def test_split_triangles():
    square = Surface([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    fine = split_triangles(square, np.array([True, False]))
    assert (len(fine.vertices), len(fine.faces), fine.area) == (7, 6, 1.0)


# --- surfaces.mesh.surface


def test_half_edges():
    assert half_edges(np.array([[0, 1, 2]])).tolist() == [[1, 2], [2, 0], [0, 1]]


def test_edges():
    square = Edges(np.array([[0, 1, 2], [0, 2, 3]]))
    assert (square.counts.tolist(), [loop.tolist() for loop in square.loops]) == (
        [1, 2, 1, 1, 1],
        [[0, 1, 2, 3]],
    )


# --- surfaces.mesh.topology


def test_euler_characteristic():
    assert euler_characteristic(Surface(np.eye(3), [[0, 1, 2]])) == 1


def test_boundary_loops():
    assert [loop.tolist() for loop in boundary_loops(Surface(np.eye(3), [[0, 1, 2]]))] == [
        [0, 1, 2]
    ]


def test_loop_lengths():
    assert loop_lengths(Surface(np.eye(3), [[0, 1, 2]]), np.arange(3)).round(3).tolist() == [
        1.414,
        1.414,
        1.414,
    ]


def test_loop_middle():
    assert loop_middle(Surface(3 * np.eye(3), [[0, 1, 2]]), np.arange(3)).round(9).tolist() == [
        1.0,
        1.0,
        1.0,
    ]


def test_with_vertex_numbers():
    corners = np.concatenate([np.eye(3), 5 * np.eye(3), np.zeros((1, 3))])
    assert with_vertex_numbers(Surface(corners, [[0, 1, 2], [3, 4, 5]]))[1].tolist() == [3, 4, 5]


def test_smooth_rim():
    face = template_face()
    moved = (smooth_rim(face).vertices != face.vertices).any(axis=1)
    assert int(moved.sum()) == len(boundary_loops(face)[0])


def test_bulge():
    tent = Surface(
        [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, 1]],
        [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]],
    )
    assert round(bulge(tent) * tent.area**1.5, 9) == 1.333333333


# --- surfaces.mesh.vtk_format


def test_triangles_of():
    assert triangles_of(np.arange(7), np.array([3, 7])).tolist() == [
        [0, 1, 2],
        [3, 4, 5],
        [3, 5, 6],
    ]


# --- surfaces.mesh.xml_formats


def test_node_all():
    assert parse_xml(b"<a><b><c/></b><c/></a>").all("c")[1].name == "c"


def test_parse_xml():
    assert parse_xml(b'<a x="1">text</a>').attributes["x"] == "1"


def test_require_plausible_size():
    require_plausible_size(10**6, 9)
    with pytest.raises(ValueError, match="9 bytes announce"):
        require_plausible_size(10**12, 9)


def test_unpacked():
    assert unpacked(zlib.compress(b"four"), 4) == b"four"


def test_decoded():
    assert decoded(" Zm 9v ") == b"foo"


def test_numbers_in():
    assert numbers_in("1 2 3", "i4").tolist() == [1, 2, 3]


# --- surfaces.records


def test_curves_of():
    curves = np.zeros((2, 4, 8, 3))
    assert curves_of(curves, curves[0], prepare=lambda meshes: None)[0].shape == (2, 4, 8, 3)
    assert curves_of([curves[0], None], curves[0], prepare=lambda meshes: None)[1] == {
        1: "it is neither a surface nor a mesh file nor prepared curves of shape (4, 8, 3)"
    }


def test_require_shape():
    require_shape((23, 80, 3), (23, 80, 3), "The value")
    with pytest.raises(GeomdpError, match="The value must be curves of shape"):
        require_shape((23, 81, 3), (23, 80, 3), "The value")


# --- surfaces.registration.diffeomorphism


def test_chart_basis():
    assert bool(np.all(chart_basis(np.array([1j]), degree=4).radial.value == 0))


def test_chart_values():
    basis = chart_basis(np.array([0.5, 0.2j]), degree=2)
    assert chart_values(basis, np.zeros((2, 6))).jacobian.tolist() == [1.0, 1.0]


def test_chart_on_rings():
    rings = RingPolynomials(np.array([0.5, 1.0]), np.array([0.0, 2.0]), degree=1)
    c = np.array([[0.2, 0.1, 0.0], [0.3, 0.0, 0.1]])
    slow = chart_values(chart_basis(rings.z, 1), c)
    assert bool(np.allclose(chart_on_rings(rings, c).jacobian, slow.jacobian))


def test_disk_diffeomorphism():
    quarter = DiskDiffeomorphism(np.array([[0.0], [np.pi / 2 * np.sqrt(np.pi)]]))
    assert np.round(quarter(np.array([0.5 + 0j])), 12).tolist() == [0.5j]


def test_disk_diffeomorphism_on_rings():
    gamma = DiskDiffeomorphism(np.array([[0.2, 0.1, 0.0], [0.3, 0.0, 0.1]]))
    r, t = np.array([0.2, 1.0]), np.array([0.0, 1.0])
    assert bool(np.allclose(gamma.on_rings(r, t)[1], gamma(np.exp(1j * t))))


def test_disk_diffeomorphism_inverse():
    gamma = DiskDiffeomorphism(np.array([[0.2, 0.1, 0.0], [0.3, 0.0, 0.1]]))
    z = np.array([0.3 + 0.4j, -0.9j, 0.0])
    assert bool(np.allclose(gamma.inverse(gamma(z)), z))


# --- surfaces.registration.gates


def test_require_winding():
    face = procedural_face(1)
    require_winding(face, face_template())
    with pytest.raises(GeomdpError):
        require_winding(Surface(face.vertices, face.faces[:, ::-1], "inside out"), face_template())


def test_require_energy():
    found = register(procedural_face(1), face_template(), "homologous")
    require_energy(found)
    with pytest.raises(GeomdpError, match="does not resemble the template"):
        require_energy(replace(found, energy_after=np.nan))


def test_distance():
    assert distance(np.full((2, 8, 3), [0.3, 0.0, 0.4]), np.zeros((2, 8, 3))) == 0.5


def test_require_nearness():
    ring = np.zeros((2, 8, 3))
    with pytest.raises(GeomdpError, match="surface 'anna' lies 0\\.87 from the template"):
        require_nearness(ring + 0.5, ring, Surface(np.eye(3), [[0, 1, 2]], "anna"))


# --- surfaces.registration.overlap


def test_find_overlap():
    still = Motion(np.eye(3), 1.0, np.zeros(3))
    one, other = template_face().normalised(), procedural_face(1).normalised()
    assert find_overlap(other, one, still).is_whole


def test_cut():
    face = template_face()
    piece, numbers = cut(face, face.vertices[:, 1] > 0)
    assert (bool(np.array_equal(piece.vertices, face.vertices[numbers])), len(numbers) < 7100) == (
        True,
        True,
    )


# --- surfaces.registration.srnf


def test_normal_field():
    u = np.linspace(-1, 1, 17)
    flat = np.stack([*np.meshgrid(u, u, indexing="ij"), np.zeros((17, 17))], axis=-1)
    assert np.round(normal_field(flat)(np.array([0.3 + 0.1j])), 12).tolist() == [[0.0, 0.0, 1.0]]


def test_normal_field_again():
    u = np.linspace(-1, 1, 9)
    x, y = np.meshgrid(u, u, indexing="ij")
    assert normal_field(np.stack([2 * x, 2 * y, 0 * x], axis=-1)).grid[4, 4].round(9).tolist() == [
        0.0,
        0.0,
        2.0,
    ]


def test_act():
    assert act(np.array([[0.0, 0.0, 1.0]]), np.array([4.0])).tolist() == [[0.0, 0.0, 2.0]]


def test_energy():
    assert energy(np.zeros((2, 3)), np.ones((2, 3)), np.array([0.5, 1.0])) == 4.5


def test_triangle_fields():
    assert triangle_fields(Surface([[0, 0, 0], [2, 0, 0], [0, 4, 0]], [[0, 1, 2]])).tolist() == [
        [0.0, 0.0, 2.0]
    ]


def test_kabsch():
    assert kabsch(np.diag([1.0, 2.0, -3.0])).tolist() == [
        [-1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, -1.0],
    ]


def test_best_turn():
    field = np.random.default_rng(0).normal(size=(5, 36, 3))
    assert round(best_turn(np.roll(field, -9, axis=1), field, np.ones(5)) * 180 / np.pi) == 90


def test_best_motion():
    corner = np.eye(3)
    motion = best_motion(2 * corner[[1, 2, 0]] + 5, corner, scaled=True)
    assert (
        bool(np.allclose(motion(corner), 2 * corner[[1, 2, 0]] + 5)),
        round(motion.scale, 9),
    ) == (True, 2.0)


# --- surfaces.registration.zernike


def test_zernike_basis():
    basis = zernike_basis(np.array([0.5j]), degree=1)
    assert basis.value.shape == (1, 3)


def test_basis_size():
    assert basis_size(12) == 91


def test_basis_degree():
    assert basis_degree(91) == 12


def test_zernike_basis_again():
    basis = zernike_basis(np.array([0.0, 1.0 + 0j]), degree=2)
    assert np.round(basis.value[:, 4] / np.sqrt(3 / np.pi), 12).tolist() == [-1.0, 1.0]


def test_ring_polynomials():
    c, r, t = np.arange(6.0), np.array([0.5, 1.0]), np.array([0.0, 2.0, 4.0])
    rings = RingPolynomials(r, t, degree=2)
    slow = zernike_basis(rings.z, 2)
    assert bool(np.allclose(rings.combined(c).ravel(), slow.value @ c))
    assert bool(np.allclose(rings.with_slopes(c)[1], slow.dx @ c))


# --- surfaces.template


def test_weighted_positions():
    assert weighted_positions(np.eye(3), np.eye(3), np.full(3, 0.75)).round(3).tolist()[0] == [
        0.667,
        0.0,
        0.0,
    ]


def test_template_to_json():
    template = face_template()
    assert template_from_json(template_to_json(template)).digest == template.digest
