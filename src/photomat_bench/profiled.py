"""`photomat run` under cProfile: the first SIGUSR1 begins, the second writes the file. Started by `--profile`."""

import cProfile
import signal
import sys

from photomat.cli.main import main


def run() -> None:
    target = sys.argv[1]
    profiler = cProfile.Profile()
    running = False

    def toggle(_number: int, _frame: object) -> None:
        nonlocal running
        if running:
            profiler.disable()
            profiler.dump_stats(target)
        else:
            profiler.enable()
        running = not running

    signal.signal(signal.SIGUSR1, toggle)
    sys.argv = ["photomat", "run"]
    main()


if __name__ == "__main__":
    run()
