"""The public template as JSON, bit for bit, so that a plan read from a file registers alike."""

from dataclasses import asdict

import numpy as np

from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.template import RegistrationSettings, Template


def template_to_json(template: Template) -> Document:
    """Describe a template by its mesh, disk map and settings.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import template_face
    >>> from geomdp.surfaces.template import make_template
    >>> template = make_template(template_face())
    >>> template_from_json(template_to_json(template)).digest == template.digest
    True
    """
    return {
        "vertices": array_to_json(template.surface.vertices),
        "faces": array_to_json(template.surface.faces.astype(np.int32)),
        "z": array_to_json(template.z),
        "settings": {**asdict(template.settings), "degrees": list(template.settings.degrees)},
    }


def template_from_json(document: Document) -> Template:
    """Inverse of :func:`template_to_json`."""
    settings = {**document["settings"], "degrees": tuple(document["settings"]["degrees"])}
    faces = array_from_json(document["faces"])
    surface = Surface(array_from_json(document["vertices"]), faces.astype(np.int64))
    template = Template(surface, array_from_json(document["z"]), RegistrationSettings(**settings))
    # Scaling to area one a second time would change last bits, and with them the digest.
    object.__setattr__(template, "surface", surface)
    return template
