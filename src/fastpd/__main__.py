"""``python -m fastpd`` is the command `fastpd`."""

from fastpd.cli import main

if __name__ == "__main__":
    main()
