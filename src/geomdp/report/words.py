"""The sentences of pages, each once: what is said in two places is said in the same words."""

from collections.abc import Iterator

from geomdp.plans.about import Light
from geomdp.privacy import Unit
from geomdp.privacy.guarantee import Guarantee, invalid_words

#: What each strength of a guarantee means.
STRENGTH = {
    "exact": "It holds for the program as it runs: every random decision and every rounding was "
    "made with proof, so that no floating-point effect is left out.",
    "idealised": "It holds for ideal real numbers; what floating-point arithmetic may add is not "
    "covered.",
    "asymptotic": "It holds in the limit of an infinitely long Markov chain; how far the chain was "
    "from its limit is not covered.",
    "none": "There is none: this value was made for comparison and is NOT PRIVATE.",
}
#: What a plan says about itself, by the name of its entry.
ABOUT = {
    "purpose": "Purpose",
    "data": "Data",
    "institution": "Institution",
    "contact": "Contact",
    "source": "Where centre, radius and ranges come from",
    "seen": "Records opened before that was typed",
    "date": "Date of the plan",
    "software": "Software",
}
NOT_SAID = "not said"
#: What a traffic light means.
LIGHTS: dict[Light, str] = {
    "green": "little of the ball is noise",
    "amber": "some of the ball is noise",
    "red": "much of the ball is noise",
}
#: Who signs a plan: names are left to fill in by hand.
ROLES = ("For the study", "For the board", "Data protection")
SIGN = (
    "We have read this plan. A release that uses it, and no other, states the same hash, and "
    "geomdp verify FOLDER --plan PLAN says so."
)
NO_HASH = (  # of the plans inside another plan
    "This plan is a part of another, and no file holds this hash, which another version may "
    "compute otherwise: make a plan of its own before it is signed."
)

BAND_OF_DISTRIBUTION = (
    "The lines beside it hold the mean of the persons' quantile functions, clipped to the range, "
    "everywhere at once in 95 of 100 releases; they use that quantile functions never fall. How "
    "persons were sampled is not in it."
)
BARYCENTRE = (
    "The mean distribution is the one whose quantiles are the means of the persons' quantiles "
    "(their Wasserstein barycentre). A share of it above a threshold is not the mean of the "
    "persons' shares."
)
DIFFERENCES = (
    "Two groups differ where the band of the difference of their quantiles leaves 0 out somewhere, "
    "which noise alone does in at most 5 of 100 pairs; sampling error is not in it."
)
EXTRINSIC = (
    "The extrinsic mean is the point nearest to the mean of the embedded records: the mean "
    "direction, the dominant axis. It exists for records that lie anywhere; in a small ball that "
    "is known, a Fréchet mean has less noise and is the better question. The nearest point:"
)

# Pictures.
BEYOND_PICTURES = "The value lies beyond what a picture can show; value.npy holds it."
ODDS = "Dotted: nothing learned. The curve: the most that the guarantee allows."
ERROR_CHART = "Distribution of the error, known before the release."
BUDGET_CHART = "Expected distance between the release and the true statistic. Circled: this plan."
GROUPS_CHART = "The private means of all groups, told apart by their lines or marks."
SWEEP_CHART = (
    "A wider ball holds more and needs more noise. Solid: the error that a plan expects; dashed: "
    "the share of these records inside."
)
AT_THE_BOUNDARY = "The records nearest to the boundary, where clipping begins."
#: Whether a release is better than the public centre, by what is known without records.
AGAINST_THE_CENTER = {
    "likely": "Likely: unless {what} lies within about {error} of the {center}. It may lie up to "
    "{radius} away.",
    "perhaps": "Perhaps not: noise alone is {error}, and {what} lies at most {radius} from the "
    "{center}.",
    "no": "No: noise alone is {error}, and the {center}, is at most {radius} from {what}. This "
    "value may look like a result and is none.",
}
#: The same of the denoised value, where pages show it.
AGAINST_DENOISED = {
    "likely": "Likely, denoised as pages show it: unless {what} lies within about {error} of the "
    "{center}. It may lie up to {radius} away.",
    "perhaps": "Perhaps not: denoised as pages show it, it is nearer only if {what} lies farther "
    "than about {error} from the {center}; it may lie up to {radius} away.",
    "no": "No: even denoised, its error is expected to be larger than the distance of {what} from "
    "the {center}, at most {radius}. This value may look like a result and is none.",
}
NO_CENTER = "None is public that the value could be compared with."
#: Which centre: one that was public before, or one that an earlier stage released.
CENTERS = {
    False: "public centre or template, which costs nothing",
    True: "centre that was found before, which is released already",
}
AS_NEAR = (
    "The released value is {0} from the public centre or template. Noise alone would put a value "
    "within {1} of it in 95 of 100 releases, if the mean of the clipped records lay there: this "
    "release does not show that it lies elsewhere."
)
CLIPPING_NOT_ASKED = (
    "Not known: no record says here how many are clipped. A plan with --clipped (Clipped in "
    "Python) releases that for 3% of its budget, and bounds what it does to the value."
)
COUNTED = (
    "Noise may make it smaller than 0. The report of all stages says what follows for the mean."
)
DIFFERENCE = (
    "How far the surface that is shown lies from the public template, vertex by vertex: a surface "
    "that looks like the template may be the template."
)
BY_NOISE = (
    "It is the error by noise alone: that records are clipped, and that they are a sample, comes "
    "on top."
)
OTHER_DRAWS = "Around it, faint: the same value with other draws of the noise."
REGION_EDGE = " Around it: the edge of its 95% confidence region, sampling and privacy noise."
REGION_FILLED = (
    " Filled: all that its 95% confidence region sweeps over, sampling and privacy noise together."
)
#: Denoised, nothing would be left at a public point of the noise that is to be seen there.
AS_DRAWN = "Values are shown as drawn; a release shows them denoised. "
DENOISED = (
    "Pictures show the released value denoised: {rule}. That this and not the value as drawn is "
    "shown was fixed in the plan; it follows from the value and the plan alone, and costs no "
    "privacy. Of its error: {risk} (docs/theory/{page}.md). denoised.npy, and the file of this "
    "name in the records' own format, hold it; those called value hold the value as drawn."
)
DENOISED_BESIDE = (
    "denoised.npy holds the value denoised: {rule}. Of its error: {risk} (docs/theory/{page}.md). "
    "By the plan's rule this page shows the value as drawn."
)
AS_IT_WAS_DRAWN = "The value as drawn:"
REGION_ABOUT_DENOISED = (
    "Faint: the edge of its region, within which the true statistic lies in at least 95 of 100 "
    "releases."
)
POOLED = (
    "Groups were declared alike in the plan: the picture of the groups together shows each "
    "{rule}, and denoised.npy holds these values, one row a group. Of their error: {risk} "
    "(docs/theory/{page}.md)."
)
OF_THE_VALUE = "This is the error of the value as drawn. Of the denoised one: {foreseen}."
DENOISED_FORESEEN = "Denoised, which costs nothing: {foreseen} ({rule}); of its error: {risk}."

# Releases.
NO_REPORT = "No report could be made of this release. manifest.json and value.npy hold all of it."
VERIFY = (
    "Anyone who has this folder can derive plan and noise again from the public numbers of the "
    "manifest, and compare every file with it; with the plan's file, also that this and no other "
    "plan was used. Neither needs the data."
)
PROJECTED = "The value was moved into the public ball after the noise."
COURSE = (
    "Each band holds the running mean of all records so far, clipped, in 95 of 100 releases, "
    "coordinate by coordinate; those are drawn that moved most. All of it follows from what the "
    "periods published."
)
OVER_TIME = (
    "It is the promise of all periods together. Each debits its part: what it adds to a record "
    "that was there from the first. A period may be left out, and the releases may end early, by a "
    "decision that no unreleased record takes part in."
)
FOLLOWS = "All of it follows from the release alone."
FROM_THE_LAW = "It follows from the known law of the noise, not from the records."
IN_STAGES = (
    "Each stage was planned from public things and from what earlier stages released, by a rule "
    "that the plan fixes; the shares of the budget were fixed in advance."
)
OF_RECORDS_ONLY = (
    "The promise is made to persons. Each group's own report states its share of it, which is a "
    "promise to single records."
)
SMALL_GROUPS = (
    "The smaller a group, the larger the error of its mean: compare means by their expected "
    "errors. Differences of these means need no further budget."
)
DISTANCES = (
    "Noise alone would move two equal means apart by at most the last column, on average; a "
    "smaller distance says nothing about the groups. Distances follow from the releases and cost "
    "nothing."
)
COMPARED = (
    "Weighted squares of the difference of the means of clipped logs at the common centre; sampling"
    " and privacy noise are included. Free: it follows from the releases."
)
COMBINED_BY = (
    "Each mean weighs by the inverse of its covariance, sampling and privacy noise included. Sites "
    "whose records differ in expectation have no common mean, and nothing here tells: compare them "
    "with geomdp compare."
)
COMBINED_FREE = (
    "Nothing of the data was touched and nothing spent; each release keeps its own promise to the "
    "people of its site."
)

# What follows from moments, curves and regressions.
NO_GEODESIC = "No direction of variation stands above the noise: none is drawn."
NO_COMPONENT = "No component of variation stands above the noise: none is drawn."
CURVES_FOLLOW = "Mean and variation of the clipped curves, from the release alone."
SYNTHETIC = (
    "{file} holds all of this as numbers, with {count} synthetic records that have the released "
    "mean and covariance; more of them cost nothing."
)
BAND_OF_MOMENTS = (
    "Faint: the edge of its 95% band at each point, by the choice of curves, the privacy noise, "
    "and what the terms left out would typically hold."
)
BAND_OF_MEAN = (
    "Faint: the edge of a 95% band, which a plan has before anything is released. At each point it "
    "covers the mean of the clipped curves themselves, by the privacy noise and by what smoothing "
    "takes off a mean up to twice as far from the template as the plan guesses. How curves were "
    "chosen is not in it: moments tell of the population."
)
BAND_OF_REGRESSION = (
    "The curve is bold; faint is the edge of its 95% band, or filled all that it sweeps over. It "
    "counts the privacy noise and the choice of records, where records spread alike about the "
    "curve. It does not count what clipping or curvature do to the curve."
)
COEFFICIENTS = (
    "The curve in numbers, in an orthonormal frame at the public centre: where it is in the middle "
    "of all ranges and at the first levels, and what each covariate adds to that from end to end, "
    "or from the first level to another. The errors above are of all coordinates together."
)
NO_BAND = (
    "Errors are root mean square distances over the surface, at area one. They count the privacy "
    "noise and the choice of records, and not what clipping or the terms left out do to the curve."
)

# Plans.
SIMULATED = (
    "Simulated releases at a public point, by the best mechanism at each budget, all on the same "
    "axes: what leaves the frame is cut. {legend}No data were used."
)
AT_THE_END = (
    "Drawn is what the released curve says at {place}, if every record were the public one and the "
    "covariates spread evenly. "
)
CONTROL = (
    "Expected error with {which}, computed with the plan; nothing is asked for over a network. A "
    "smaller radius means less noise, and more that is moved to the edge: choose it by what is "
    "known, never by the records."
)
#: The same before a release and after it.
CHOSEN_BLINDLY = (
    "The centre, the radius and every other setting must have been chosen without looking at the "
    "records; no program can check that"
)
WHY_CLIPPED = (
    "a radius that is too small costs accuracy, one that is too large costs noise, and neither "
    "costs privacy."
)
ADDS_UP = (
    "Other releases from the same records add up with this one: a ledger keeps account of them."
)
NOTHING_PROMISED = "EVERYTHING: this plan is a comparison and NOT PRIVATE."
ERROR_IS = "The error is the distance between the release and the same statistic without noise."
RANGES = (
    "Covariates beyond their declared ranges counted as the nearer end; ranges and levels are "
    "public."
)
MASK_LATER = "Where the voxels lie is said by a mask at the release, which must be public."
CURVES_OF_CENTILES = (
    "Centile curves: 3, 10, 25, 50, 75, 90 and 97 of a hundred people lie below, if the law about "
    "the mean is symmetric; the spread is taken to be the same everywhere, along"
)
CENTILES = (
    "The centile of a person by the distance from the mean. Half and the region's share of people "
    "lie below 50 and below its level by the released radii; the curve between and beyond is that "
    "of a chi-square law with both. Centiles say how far out somebody is, not in which direction."
)

# The audit and the demonstration.
AUDIT = (
    "Each line is an attack on public data that the plan has to hide. A lower bound that exceeds "
    "its claim disproves the claim with the stated confidence; one that does not proves nothing: "
    "the proofs do that, and an audit looks for mistakes in them and in the program."
)
AUDIT_PASSED, AUDIT_EXCEEDED = "No check exceeded its claim.", "A CLAIM WAS EXCEEDED."
DEMO_LEAD = (
    "Each picture below is an average that was published with a proof: whoever sees it learns "
    "about any single record behind it no more than the budget on its card allows. Directions, "
    "tensors, shapes and surfaces cannot be averaged like numbers, so the noise that protects them "
    "has to follow the curvature of the space they live in."
)
DEMO_PLAN = (
    "A plan says what is public (the space, a ball that holds every record, the number of records) "
    "and which budget may be spent; it forecasts the error before anyone touches the data. A "
    "release then reads the records once, and leaves the value, a manifest that anyone can check, "
    "and a report."
)
DEMO_AGAIN = (
    "The noise is drawn anew each time: run the demo again and every value differs, by about the "
    "expected error."
)


def capital(text: str) -> str:
    """Begin a sentence."""
    return f"{text[:1].upper()}{text[1:]}"


def opened_number(unit: Unit) -> str:
    """Say which number of records sites open together."""
    return (
        f"The number of {unit.plural} of all sites together is opened, public and not protected; a "
        "site's own number is not told."
    )


def caveats(guarantee: Guarantee) -> Iterator[str]:
    """Say what a guarantee leaves out."""
    yield from (f"{capital(caveat)}." for caveat in guarantee.caveats)


def neighbours(unit: Unit) -> str:
    """Say what the letters of a definition mean, and which data sets are neighbours."""
    return (
        "M is the release, D and D′ are neighbours, which whoever sees the release can hardly tell "
        f"apart: data sets of the same public size in which {unit.neighbours()}."
    )


def public_number(unit: Unit, n: int) -> str:
    """Say that n is public."""
    return f"The number of {unit.plural}, {n}, is public and not protected."


def public_sizes(unit: Unit) -> str:
    """Say that sizes of groups are public, and whether labels are."""
    if unit.hides_labels:
        labels = "who belongs to which group is protected"
    else:
        labels = "so are the labels: that someone belongs to a group is not protected"
    return f"The sizes of the groups are public; {labels}."


def invalid(guarantee: Guarantee) -> str:
    """Say what an invalid record does."""
    return f"{capital(invalid_words(guarantee.invalid, guarantee.unit))}."


def clipped(unit: Unit) -> str:
    """Say what clipping moves: records, or where persons count once the means of theirs."""
    return "records" if unit.counted == "record" else "means of a person's records"


def protected(unit: Unit) -> Iterator[str]:
    """Say who is protected, who is not, and what may be learned."""
    if unit.of == "record":
        yield (
            "One record is protected at a time. Whoever contributed several records, or whose "
            "relatives did, is protected less."
        )
    else:
        yield (
            "One person is protected at a time: neighbours are data sets in which "
            f"{unit.neighbours()}. Relatives of each other are protected less."
        )
    yield ADDS_UP
    any_one = "any one record" if unit.of == "record" else "any one person's records"
    yield (
        f"What is true in general may be learned from the release, with or without {any_one}; that "
        "is what it is for."
    )
    most = unit.max_records
    if most is not None and most > 1:
        yield (
            f"Nobody has more than {most} records: the curator said so, and a release of anything "
            "else was refused."
            if unit.labels == "private"
            else f"Records beyond a person's first {most} did not count."
        )
