"""One test of many cases, where a test for each would cost more than it does."""

from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def for_each(cases: Iterable[T], *, name: Callable[[T], str]) -> Callable[[Callable[[T], None]], Callable[[], None]]:
    """Try every case, and fail with each of those that did, by its name."""

    def fold(test: Callable[[T], None]) -> Callable[[], None]:
        def every_case() -> None:
            failed = []
            for case in cases:
                try:
                    test(case)
                except Exception as wrong:  # noqa: BLE001  all of them are told together
                    wrong.add_note(f"the case: {name(case)}")
                    failed.append(wrong)
            if failed:
                raise ExceptionGroup(f"{len(failed)} cases of {test.__name__}", failed)

        every_case.__doc__ = test.__doc__
        return every_case

    return fold
