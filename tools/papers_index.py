"""Every figure, table, theorem and numbered claim of the four papers, and where it stands here.

A place is an anchor on the page of results (a study), or a page of the docs; what has no place
states its reason. ``results_page`` prints the table; tests hold that places exist and, where the
papers' texts are at hand, that no numbered item of theirs is missing.
"""

from typing import NamedTuple


class Item(NamedTuple):
    """One item of a paper.

    Attributes
    ----------
    paper
        1 to 4.
    item
        As the paper numbers it.
    what
        In a few words.
    places
        Studies ("#name") and pages of the docs ("theory/name.md").
    note
        Why there is no place, or what must be known of it.
    """

    paper: int
    item: str
    what: str
    places: tuple[str, ...] = ()
    note: str = ""


_STEP = "a step of a proof whose end is tried as a whole"
_DEFINES = "a definition: there is nothing to try"

ITEMS = (
    # Paper 1
    Item(1, "Definitions 1 to 3", "privacy, sensitivity, Laplace law", ("glossary.md",), _DEFINES),
    Item(1, "Theorem 1", "scale 2 Delta/epsilon, or Delta/epsilon", ("theory/laplace.md",)),
    Item(1, "Example 1", "a whole circle", ("#circle",)),
    Item(1, "Assumption 1", "the largest radius", ("theory/sensitivity-of-the-mean.md",)),
    Item(
        1,
        "Theorem 2",
        "sensitivity of the Fréchet mean",
        ("#sphere-sensitivity", "#spd-sensitivity", "#curvature"),
    ),
    Item(1, "Lemma 1", "Jacobi fields", ("theory/sensitivity-of-the-mean.md",), _STEP),
    Item(1, "Theorem 3", "rate d/(n epsilon)", ("#rate",)),
    Item(1, "Theorem 4", "noise from around, projected", ("#ambient-dimension",)),
    Item(1, "Proposition 1", "radius around matrices, e^r - 1", ("theory/comparisons.md",)),
    Item(1, "section 4", "variance inflated by D/d", ("#ambient-dimension",)),
    Item(1, "Figure 1, panel 1", "sensitivity, matrices", ("#spd-sensitivity",)),
    Item(1, "Figure 1, panel 2", "utility, matrices", ("#spd-utility",)),
    Item(1, "Figure 1, panel 3", "sensitivity, sphere", ("#sphere-sensitivity",)),
    Item(1, "Figure 1, panel 4", "utility, sphere", ("#sphere-utility",)),
    Item(1, "section 5.1", "about 25% outside", ("#spd-utility",)),
    Item(1, "section 5.2", "about 15%, 16.8%, 12% less", ("#sphere-utility",)),
    Item(
        1,
        "section 6",
        "empirical sensitivity near the bound",
        ("#sphere-sensitivity", "#spd-sensitivity"),
        '"quite close" is no number: each study tells the largest distance over the bound',
    ),
    # Paper 2
    Item(2, "Definition 1", "privacy", ("glossary.md",), _DEFINES),
    Item(2, "Theorem 1", "KNG with 2 Delta/epsilon", ("theory/kng.md", "#kng-spd")),
    Item(2, "Assumption 1", "the largest radius", ("theory/gradient-sensitivity.md",)),
    Item(
        2,
        "Theorem 2",
        "sensitivity of the gradient",
        ("theory/gradient-sensitivity.md", "#kng-sphere"),
    ),
    Item(2, "Remark 1", "smaller than Laplace's by h", ("#curvature",)),
    Item(2, "Lemma 1", "gradient against distance", ("theory/kng-envelope.md",)),
    Item(2, "Theorem 3", "rate d/(n epsilon)", ("#rate",)),
    Item(2, "section 4.1", "order on the sphere; 2r/n", ("#kng-sphere",)),
    Item(2, "Figure 1, left", "utility, sphere", ("#kng-sphere",)),
    Item(2, "Figure 1, right", "utility, matrices", ("#kng-spd",)),
    Item(
        2,
        "Figure 2, left",
        "ten outlines",
        ("#callosa",),
        "drawn with the package's leaves: people's outlines are not copied here",
    ),
    Item(2, "Figure 2, middle", "the mean outline", ("#callosa",)),
    Item(2, "Figure 2, right", "private outlines, three rows", ("#callosa",)),
    Item(2, "Figure 3", "private outlines, smoothed", ("#callosa",)),
    Item(2, "conclusions", "KNG outperforms Laplace", ("#kng-sphere", "#curvature")),
    Item(2, "supplement B.3.2", "KNG's chain on matrices", ("#kng-spd", "theory/comparisons.md")),
    Item(2, "supplement B.3.3", "radius in the space around", ("#kng-spd",)),
    Item(2, "supplement B.4.2", "KNG's chain on the sphere", ("#kng-sphere",)),
    Item(2, "supplement B.5.1", "radius from the data", ("#callosa",)),
    Item(2, "supplement B.5.2", "bounds from the data", ("#callosa",)),
    # Paper 3
    Item(
        3, "Tables 1 and 2", "orders in k; operations", ("#tangent-utility",), "an overview of it"
    ),
    Item(3, "Definitions 1 to 3", "log-Gaussian law, mechanism", ("theory/tangent-mean.md",)),
    Item(3, "Algorithm 1", "the tangent Gaussian mechanism", ("theory/tangent-mean.md",)),
    Item(3, "Theorem 1", "law of the privacy loss", ("theory/gaussian-calibration.md",)),
    Item(
        3,
        "Theorem 2",
        "classical and analytic scale",
        ("theory/gaussian-calibration.md", "#tangent-utility"),
        "in print the second argument of the analytic condition lacks its minus sign; Balle and "
        "Wang's is used",
    ),
    Item(3, "Theorem 3", "sensitivity 2r/n", ("theory/sensitivity-of-the-mean.md",)),
    Item(3, "Theorem 4", "law of the error", ("#tangent-utility",)),
    Item(
        3,
        "Theorem 5",
        "radius of descriptors",
        ("#descriptors", "theory/descriptor-radius.md"),
        "its largest eigenvalues are 14 and 16 there, 12 and 14 in A.7; eta decides either way",
    ),
    Item(3, "Lemma A.1", "an isometry", ("theory/tangent-mean.md",), _STEP),
    Item(3, "Lemma A.2", "sums of log-Gaussians", ("#tangent-utility",), _STEP),
    Item(3, "Corollary A.3", "the mechanism, written otherwise", ("#tangent-utility",), _STEP),
    Item(3, "Theorem A.4", "Theorem 1 again", ("theory/gaussian-calibration.md",)),
    Item(3, "Lemma A.5", "norm of a logarithm", ("theory/descriptor-radius.md",), _STEP),
    Item(3, "Lemma A.6", "norm of a descriptor", ("theory/descriptor-radius.md",), _STEP),
    Item(3, "Theorem A.7", "Theorem 5 again", ("#descriptors",)),
    Item(3, "section 6.1", "almost ten times; delta", ("#tangent-utility",)),
    Item(3, "section 6.2.1", "gap over N and epsilon", ("#descriptors",)),
    Item(3, "section 6.2.2", "standard images", ("#descriptors",), "at the paper's N"),
    Item(3, "Figure 1", "three rows, four epsilons", ("#tangent-utility",)),
    Item(3, "Figure 2", "PathMNIST, OctoMNIST", ("#descriptors",), "at the paper's N"),
    Item(3, "Figure 3", "MNIST, KMNIST, CIFAR10, FashionMNIST", ("#descriptors",), "so too"),
    Item(3, "Figure 4a", "seconds of chains", ("#sampling-time",)),
    Item(3, "Figure 4b", "burn-in and utility", ("#sampling-time",)),
    Item(3, "Figure 4c", "radius predicted and obtained", ("#descriptors",), "on other images"),
    Item(
        3,
        "appendix B.1",
        "the chain's law; steps accepted",
        ("#sampling-time",),
        "50 to 65% are: in many dimensions 2 Phi(-1/2) = 0.62, for steps of one scale",
    ),
    Item(3, "appendix B.2", "14, 36 and 73 s, 1.3 microseconds", ("#sampling-time",)),
    # Paper 4
    Item(4, "section 2.1", "disk conformal map", ("#disk-maps",)),
    Item(
        4,
        "section 2.2",
        "area one, registration",
        ("theory/elastic-registration.md",),
        "the division by the area that is printed leaves an area of one over it; its root is used",
    ),
    Item(4, "Figure 1", "mesh and two disk surfaces", ("#disk-maps",)),
    Item(4, "Figure 2", "cloud, and curves on a surface", ("#face-curves",)),
    Item(4, "Figure 3", "16, 27, 80 curves; coordinates", ("#face-curves",)),
    Item(4, "section 4.1", "2 tau/(n sqrt(phi))", ("#functional",)),
    Item(4, "section 4.2", "composition", ("#functional", "theory/composition.md")),
    Item(4, "Definition 4.1", "mu-GDP", ("glossary.md",), _DEFINES),
    Item(4, "Corollary 4.2", "delta of epsilon", ("theory/gaussian-calibration.md",)),
    Item(4, "Theorem 4.3", "Gaussian processes are mu-GDP", ("#functional",)),
    Item(4, "section 5", "sines, penalties", ("#face-curves", "#functional")),
    Item(4, "Figure 4", "mean of curves, point-wise mean", ("#faces",)),
    Item(
        4,
        "Figure 5",
        "private faces",
        ("#faces",),
        "its budgets are printed as 2.9961 and 2.9661, and 2 and 3: the formula gives 2.9661",
    ),
    Item(4, "Table 1", "mean squared errors", ("#faces",)),
    Item(4, "Figure 6", "mean and private mean overlaid", ("#faces",)),
    Item(4, "abstract", "less noise at the same budget", ("#faces",)),
    Item(
        4,
        "A.2",
        "times",
        ("#disk-maps", "#faces"),
        "meshing (5 s) and the point-wise mean (1 min) are left out: vertices correspond already, "
        "and that mean is a sum",
    ),
    Item(4, "A.3", "registration", ("theory/elastic-registration.md", "#disk-maps")),
    Item(4, "Definition A.1", "(epsilon, delta)", ("glossary.md",), _DEFINES),
    Item(4, "Theorem A.2", "noise of a functional summary", ("#functional",)),
    Item(4, "A.6", "point-wise noise", ("#faces",), "without the 1/n of a mean in print"),
    Item(4, "A.7", "the centre moves to the nose", ("#disk-maps",)),
    Item(4, "Figure 7", "mesh, disk maps, surfaces", ("#disk-maps",)),
    Item(4, "A.9", "half the error at mu = 3; alignment", ("#faces", "#face-curves")),
    Item(4, "Figure 8", "point-wise faces at two budgets", ("#faces",)),
    Item(4, "Figure 9", "coordinates of a hundred faces", ("#face-curves",)),
    Item(
        4,
        "Figure 10",
        "the pipeline",
        ("#faces", "tutorials/faces.md"),
        "drawn with its stages on stand-in faces; the tutorial walks through them",
    ),
)


def rows() -> list[str]:
    """Lines of the table.

    >>> rows()[0]
    '| paper | item | what | place | note |'
    """
    lines = ["| paper | item | what | place | note |", "|---|---|---|---|---|"]
    for item in ITEMS:
        places = ", ".join(f"[{_name(place)}]({place})" for place in item.places)
        lines.append(f"| {item.paper} | {item.item} | {item.what} | {places} | {item.note} |")
    return lines


def _name(place: str) -> str:
    return place.lstrip("#").removesuffix(".md").split("/")[-1]
