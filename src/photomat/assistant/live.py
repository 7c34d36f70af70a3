"""A planner that asks the live chat model, for the evaluation: the rules' plan, improved by one answer.

Every request costs credits; a call that fails leaves the rules' plan, as it does in the chat.
"""

from dataclasses import dataclass, field
from decimal import Decimal

from photomat.assistant.calls import UNREPORTED_CREDITS
from photomat.assistant.chat import plan_request, read_proposal
from photomat.assistant.merge import merged
from photomat.assistant.plan import Plan, Request
from photomat.assistant.rules import plan
from photomat.catalog.storefront import Storefront
from photomat.kernel.errors import OutcomeUnknown, PhotomatError
from photomat.kie.port import ChatModel, ChatRefused


@dataclass(slots=True, kw_only=True)
class Spent:
    """What an evaluation took so far."""

    calls: int = 0
    failed: int = 0
    credits: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class LivePlanner:
    chat: ChatModel
    storefront: Storefront
    spent: Spent = field(default_factory=Spent)

    async def __call__(self, request: Request) -> Plan | None:
        found = plan(request, self.storefront)
        if found is None:
            return None
        self.spent.calls += 1
        try:
            answer = await self.chat.complete(plan_request(found, self.storefront, language=request.language))
        except PhotomatError as error:
            self._count_failure(error)
            return found
        self.spent.credits += UNREPORTED_CREDITS if answer.credits is None else answer.credits
        return merged(found, read_proposal(answer.text), self.storefront)

    def _count_failure(self, error: PhotomatError) -> None:
        """A refused format is tried plainer next time; any other refusal would only be repeated."""
        self.spent.failed += 1
        self.spent.credits += UNREPORTED_CREDITS if isinstance(error, OutcomeUnknown) else 0
        if not isinstance(error, OutcomeUnknown | ChatRefused):
            raise error
