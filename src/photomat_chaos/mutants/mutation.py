"""What a seeded mistake is: replacements in the source, and the tests that must notice."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One replacement in one file below `src/photomat`."""

    file: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A mistake somebody could make, and the smallest set of tests that must catch it."""

    name: str
    mistake: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]


def one_edit(name: str, mistake: str, edit: tuple[str, str, str], *tests: str) -> Mutation:
    """A mistake made by one replacement."""
    file, before, after = edit
    return Mutation(name=name, mistake=mistake, edits=(Edit(file=file, before=before, after=after),), tests=tests)
