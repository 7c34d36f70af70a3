"""`python -m photomat_chaos`, which is what `photomat chaos` starts."""

from photomat_chaos.cli import app

app(prog_name="photomat chaos")
