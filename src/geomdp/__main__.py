"""The command ``geomdp``, also as ``python -m geomdp``: Ctrl-C is answered while it loads, too."""

from geomdp.runtime.stopping import say_stopped


def main() -> None:
    """Load the command and run it."""
    try:
        from geomdp.cli import main as run
    except KeyboardInterrupt:
        say_stopped()
    run()


if __name__ == "__main__":
    main()
