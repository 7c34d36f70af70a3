"""What imports cannot say: what a signature may hold, what a transaction may reach, where the process may die."""

import ast
from collections import defaultdict
from collections.abc import Iterator

from photomat.kernel.failpoint import FAILPOINTS
from support.source import Function, arguments, calls, classes, functions, modules, names_in

PORTS = {"Provider", "Messenger", "Bot", "KieClient", "TelegramMessenger", "ClientSession", "Sender", "ResultFiles"}
OUTSIDE = {"provider", "messenger", "bot", "kie", "sender", "session", "files", "tap"}
"""What the parts that reach a vendor are called where they are held."""


def test_no_function_has_both_a_transaction_and_a_port() -> None:
    offenders = [
        f"{module.place}:{function.name}"
        for module in modules("photomat")
        for function, held in _functions_with_their_class(module.tree)
        if _takes(function, {"Transaction"}) and (_takes(function, PORTS) or held & PORTS)
    ]
    assert offenders == []


def test_no_transaction_is_held_across_the_network() -> None:
    offenders = [
        f"{module.place}:{inner.lineno}"
        for module in modules("photomat")
        for block in ast.walk(module.tree)
        if isinstance(block, ast.AsyncWith) and _opens_a_transaction(block)
        for statement in block.body
        for inner in ast.walk(statement)
        if isinstance(inner, ast.Await) and _reaches_outside(inner.value)
    ]
    assert offenders == []


def test_every_failpoint_is_called_and_every_called_one_is_listed() -> None:
    passed = [name for module in modules("photomat") for name in _failpoints(module.tree)]
    assert set(passed) == set(FAILPOINTS)
    assert len(set(FAILPOINTS)) == len(FAILPOINTS)


def test_only_task_groups_start_tasks() -> None:
    loose = [
        f"{module.place}:{call.lineno}"
        for package in ("photomat", "photomat_sandbox")
        for module in modules(package)
        for call in calls(module.tree)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in {"create_task", "ensure_future"}
        and names_in(call.func.value) & {"asyncio", "loop", "get_running_loop"}
    ]
    assert loose == []


def test_no_two_classes_share_a_name() -> None:
    places = defaultdict(list)
    for module in modules("photomat"):
        for found in classes(module.tree):
            if not found.name.startswith("_"):
                places[found.name].append(module.place)
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def _functions_with_their_class(tree: ast.Module) -> Iterator[tuple[Function, set[str]]]:
    """Every function, with the types of what its class holds."""
    methods: set[int] = set()
    for holder in classes(tree):
        fields = [names_in(node.annotation) for node in holder.body if isinstance(node, ast.AnnAssign)]
        inits = [node for node in functions(holder) if node.name == "__init__"]
        held = set().union(*fields, *(names_in(each.annotation) for init in inits for each in arguments(init)))
        for function in functions(holder):
            methods.add(id(function))
            yield function, held
    yield from ((function, set()) for function in functions(tree) if id(function) not in methods)


def _takes(function: Function, types: set[str]) -> bool:
    return any(names_in(each.annotation) & types for each in arguments(function))


def _opens_a_transaction(block: ast.AsyncWith) -> bool:
    opened = [item.context_expr for item in block.items if isinstance(item.context_expr, ast.Call)]
    return any(names_in(call.func) & {"transaction"} for call in opened)


def _reaches_outside(value: ast.expr) -> bool:
    """Whether what is awaited belongs to something that talks to a vendor: `self.provider.record(…)`, `bot.get_me()`."""
    return isinstance(value, ast.Call) and bool({name.lstrip("_") for name in names_in(value.func)} & OUTSIDE)


def _failpoints(tree: ast.AST) -> Iterator[str]:
    for call in calls(tree):
        if isinstance(call.func, ast.Name) and call.func.id == "failpoint":
            named = call.args[0] if call.args else None
            assert isinstance(named, ast.Constant), f"line {call.lineno}: a failpoint's name is written out"
            yield str(named.value)
