"""`python -m wordatoms` is the command line."""

from wordatoms.cli import main

if __name__ == "__main__":
    main()
