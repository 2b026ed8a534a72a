"""Build the long paper: ``python -m tools.paper`` writes ``manuscript/geomdp.pdf`` with typst."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "manuscript" / "geomdp.typ"


def main() -> None:
    """Compile; numbers are read from files of the repository, which is typst's root."""
    import typst

    target = SOURCE.with_suffix(".pdf")
    typst.compile(str(SOURCE), output=str(target), root=str(ROOT))
    print(f"Wrote {target.relative_to(ROOT)}, {target.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
