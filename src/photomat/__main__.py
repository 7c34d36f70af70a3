"""`python -m photomat`."""

from photomat.cli.main import main

main()
