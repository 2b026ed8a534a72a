"""The frame of every page: one self-contained file, light and dark, narrow and wide, printable."""

from importlib.resources import files

from geomdp.report.markup import Content, Html, join, tag

_ASSETS = files("geomdp.report") / "assets"


def asset(name: str) -> Html:
    """Read one of our own style sheets or scripts.

    Examples
    --------
    >>> "prefers-color-scheme" in asset("page.css")
    True
    """
    return Html((_ASSETS / name).read_text(encoding="utf-8"))


def page(title: str, *content: Content, script: str = "") -> str:
    """Return a whole document that asks for nothing outside itself.

    Parameters
    ----------
    title
        Plain text.
    content
        The body.
    script
        Name of a script among our assets, if the page needs one.

    Examples
    --------
    >>> page("A < B", "hello").splitlines()[0]
    '<!doctype html>'
    """
    # The policy makes "no external requests" a rule that the browser enforces.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    if script:
        policy += "; script-src 'unsafe-inline'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", asset("page.css")),
    )
    end = tag("script", asset(script)) if script else ""
    body = tag("body", tag("main", content), end)
    return f'<!doctype html>\n<html lang="en">\n{head}\n{body}\n</html>\n'


def section(heading: str, *content: Content) -> Html:
    """Return a section with its heading.

    Examples
    --------
    >>> section("Limits", tag("p", "None."))
    '<section><h2>Limits</h2><p>None.</p></section>'
    """
    return tag("section", tag("h2", heading), content)


def figure(picture: Html, caption: Content) -> Html:
    """Return a picture with its caption.

    Examples
    --------
    >>> figure(tag("img", src="data:,", alt=""), "nothing")
    '<figure><img src="data:," alt=""><figcaption>nothing</figcaption></figure>'
    """
    return tag("figure", picture, tag("figcaption", caption))


def paragraphs(*texts: Content) -> Html:
    """Return one paragraph a text.

    Examples
    --------
    >>> paragraphs("a", "b")
    '<p>a</p><p>b</p>'
    """
    return join([tag("p", text) for text in texts])
