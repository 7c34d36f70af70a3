"""`python -m photomat_bench`, which is what `photomat bench` starts."""

from photomat_bench.cli import app

app(prog_name="photomat bench")
