"""What a button carries: 64 bytes at most, and enough to know a stale one.

A form's buttons carry the form's id, a draft's its revision. The buttons of notices and of a job's card are drawn elsewhere,
by `telegram/callback_data.py`; here they are only read.
"""

from enum import StrEnum
from typing import Annotated, Final, TypeAlias

from aiogram.filters.callback_data import CallbackData
from pydantic import Field

from photomat.catalog.storefront import OfferFilter
from photomat.catalog.words import VoiceAccent, VoiceSex
from photomat.jobs.gallery import GalleryFilter
from photomat.payments.options import PaymentMethod
from photomat.support.ticket import Topic

MAX_BYTES: Final = 64


class Screen(StrEnum):
    HOME = "home"
    PICTURES = "create"
    SEARCH = "search"
    BALANCE = "balance"
    TOPUP = "topup"
    HISTORY = "history"
    HELP = "help"
    LANGUAGE = "lang"
    MORE = "more"
    SUPPORT = "sos"


class DraftAction(StrEnum):
    CREATE = "create"
    VOUCHER = "gift"
    CHANGE = "change"
    CANCEL = "cancel"
    BACK = "back"
    WHY = "why"
    MORE = "more"


class Step(StrEnum):
    """What can be done with a question besides answering it."""

    SKIP = "skip"
    FINISH = "fin"
    BACK = "back"
    DONE = "done"
    MORE = "more"
    DROP = "drop"
    WALK = "walk"
    REMOVE = "rm"
    RESULTS = "res"
    QUESTION = "ask"
    EXAMPLE = "ex"


class JobAction(StrEnum):
    CANCEL = "cancel"
    ACCEPT = "accept"
    AGAIN = "again"
    RESEND = "resend"
    FILES = "files"
    WHY = "why"
    NOTHING = "noop"
    VARIANT = "variant"
    LIKE = "like"
    UNLIKE = "unlike"
    DETAILS = "info"
    SUPPORT = "sos"


class TransferAction(StrEnum):
    START = "start"
    LEAVE = "leave"


class ReceiptAction(StrEnum):
    """What can be done with a receipt: `STATE` by its sender, the rest by operators."""

    STATE = "state"
    APPROVE = "yes"
    ANYWAY = "yes!"
    OTHER_SUM = "sum"
    DECLINE = "no"


class PrivacyAction(StrEnum):
    PAGE = "page"
    EXPORT = "export"
    FORGET = "forget"
    CONFIRM = "yes"
    WITHDRAW = "withdraw"


class ConsentAction(StrEnum):
    AGREE = "yes"
    READ = "read"
    BACK = "back"
    DECLINE = "no"


class RewardAction(StrEnum):
    PROMO = "promo"
    INVITE = "invite"
    GIFT = "gift"


Id = Annotated[int, Field(ge=0, le=2**63 - 1)]
Small = Annotated[int, Field(ge=0, le=2**31 - 1)]
PageNumber = Annotated[int, Field(ge=0, le=1000)]
"""What the columns take; a larger number is forged."""


class OpensPage:
    """Marks a button that opens a page: a tap on it leaves the question that is open."""


class PrivateOnly:
    """Marks a button about a user's money: in a group a tap on it is refused."""


class MenuButton(CallbackData, OpensPage, prefix="m"):
    screen: Screen


class ModelButton(CallbackData, prefix="n"):
    model: str


class GroupButton(CallbackData, OpensPage, prefix="mg"):
    """Opens the page of a menu group."""

    group: str


class ListButton(CallbackData, OpensPage, prefix="ml"):
    """Opens a page of the models of a menu category, the first being 0; a category of one model opens that model."""

    category: str
    only: OfferFilter = OfferFilter.ALL
    page: Small = 0


class WayBackButton(CallbackData, OpensPage, prefix="mb"):
    """Leads back from a model to a page of a list; from the only model of a category to the page above its list."""

    category: str
    only: OfferFilter = OfferFilter.ALL
    page: Small = 0


class ListedButton(CallbackData, prefix="nl"):
    """Opens a model from a page of a list, and remembers that page for the way back."""

    category: str
    only: OfferFilter
    page: Small
    model: str


class IdeasButton(CallbackData, OpensPage, prefix="ti"):
    """Opens a page of the templates of a group, the first being 0."""

    group: str
    page: PageNumber = 0


class TemplateButton(CallbackData, prefix="tt"):
    template: str


class SlotButton(CallbackData, prefix="tv"):
    """Answers a slot of the template that is being filled in with one of its examples, by number."""

    form_id: Id
    slot: Small
    option: Small


class SlotResultButton(CallbackData, prefix="tj"):
    """Answers a slot with an output of an earlier job."""

    form_id: Id
    slot: Small
    job_id: Id
    output: Small


class ExampleButton(CallbackData, prefix="te"):
    """Turns the example message to the example of a template."""

    template: str


class PricesButton(CallbackData, prefix="pt"):
    model: str


class OptionButton(CallbackData, prefix="o"):
    """Answers the question a form had at this turn with one of its options, by number."""

    form_id: Id
    turn: Small
    option: Small


class OptionPageButton(CallbackData, prefix="op"):
    form_id: Id
    turn: Small
    page: Small


class ResultsPageButton(CallbackData, prefix="rp"):
    """Turns to a page of the user's own results that the open question takes."""

    form_id: Id
    turn: Small
    page: PageNumber


class VoicesButton(CallbackData, prefix="vl"):
    """Turns the list of voices of the open question to a page, or to the voices of one sex or accent."""

    form_id: Id
    turn: Small
    sex: VoiceSex | None = None
    accent: VoiceAccent | None = None
    page: PageNumber = 0


class HearVoiceButton(CallbackData, prefix="vs"):
    """Lets one of the voices of the open question be heard, by its number among the options."""

    form_id: Id
    turn: Small
    option: Small


class SearchPageButton(CallbackData, prefix="sp"):
    """Turns to a page of what a search found; its words are in the conversation's data."""

    page: PageNumber


class StepButton(CallbackData, prefix="q"):
    """Does something else with the question a form had at this turn."""

    form_id: Id
    turn: Small
    step: Step


class PickButton(CallbackData, prefix="pj"):
    """Answers a question with an earlier result: a job, or one output of it."""

    form_id: Id
    turn: Small
    job_id: Id
    output: Small


QuestionButton: TypeAlias = (
    OptionButton | OptionPageButton | ResultsPageButton | StepButton | PickButton | VoicesButton | HearVoiceButton
)
"""Belongs to the question a form had at one turn; at another turn it is stale."""


class LeaveButton(CallbackData, prefix="x"):
    form_id: Id


class DraftButton(CallbackData, prefix="d"):
    """Acts on a draft as its card showed it."""

    action: DraftAction
    draft_id: Id
    revision: Small


class WishButton(CallbackData, prefix="dw"):
    """Makes a draft an order of another wish, with the same words and files."""

    draft_id: Id
    revision: Small
    wish: str


class OtherModelsButton(CallbackData, prefix="dl"):
    """Lists the models that can make what a draft is about."""

    draft_id: Id
    revision: Small
    page: Small = 0


class OtherModelButton(CallbackData, prefix="dm"):
    """Takes a draft over to another model."""

    draft_id: Id
    model: str


class ApartButton(CallbackData, prefix="da"):
    """Gives a draft its earlier words back, and makes the new ones an order of their own."""

    draft_id: Id
    revision: Small


class ChangeButton(CallbackData, prefix="e"):
    """Asks one input of a draft again, by number."""

    draft_id: Id
    question: Small


class AssistAction(StrEnum):
    """What the assistant can do with the prompt of a draft: make it better, or take that back."""

    IMPROVE = "better"
    UNDO = "undo"


class AssistButton(CallbackData, prefix="ai"):
    """Has the prompt of a draft improved as its card showed it, or takes that back."""

    action: AssistAction
    draft_id: Id
    revision: Small


class TranscriptButton(CallbackData, prefix="av"):
    """Uses what was understood of a voice message, or forgets it."""

    call_id: Id
    use: bool


class CardOptionButton(CallbackData, prefix="co"):
    """Gives an input of a draft one of its values, both by number, if its card still shows this revision."""

    draft_id: Id
    revision: Small
    question: Small
    option: Small


class LanguageButton(CallbackData, prefix="l"):
    language: str


class HistoryButton(CallbackData, OpensPage, prefix="h"):
    """Turned to a page of the history when it was a list; opens the history now."""

    page: Small


class GalleryStep(StrEnum):
    """Where a tap leads from a page of the history, or what it does there."""

    TOP = "top"
    AT = "at"
    NEWER = "newer"
    OLDER = "older"
    LIKE = "like"
    UNLIKE = "unlike"
    ASK_HIDE = "del"
    HIDE = "hide"
    ASK_WORDS = "ask"


class GalleryButton(CallbackData, prefix="g"):
    """Acts on a page of the history, keyed by its job; the words of a search are in the conversation's data."""

    only: GalleryFilter
    job_id: Id
    step: GalleryStep
    position: Small = 0


class StatementButton(CallbackData, OpensPage, PrivateOnly, prefix="s"):
    """Opens the transactions older than the one with the id `before`; 0 the newest."""

    before: Id


class TransactionButton(CallbackData, OpensPage, PrivateOnly, prefix="w"):
    """Explains one transaction; `before` leads back to its page of the statement."""

    move_id: Id
    before: Id


class RewardButton(CallbackData, OpensPage, PrivateOnly, prefix="rw"):
    action: RewardAction


class GiftBackButton(CallbackData, PrivateOnly, prefix="gb"):
    gift_id: Id


class JobButton(CallbackData, prefix="j"):
    """Acts on a job: `j:<job_id>:<action>`."""

    job_id: Id
    action: JobAction


class JobPageButton(CallbackData, prefix="j"):
    """Turns to a page of a job's results: `j:<job_id>:page:<n>`."""

    job_id: Id
    action: str
    page: Small


class JobNextButton(CallbackData, prefix="j"):
    """Begins an order with one output of a job: `j:<job_id>:next:<position>:<wish>`."""

    job_id: Id
    action: str
    position: Small
    wish: str


class PayStep(StrEnum):
    """The steps of a top-up: show its sums, type a sum, make the invoice."""

    SUMS = "sums"
    OWN = "own"
    INVOICE = "bill"


class TopupButton(CallbackData, OpensPage, PrivateOnly, prefix="pm"):
    """Opens the ways to pay for a draft, 0 is none; a tap on its card (`on_card`) leaves the card as it is."""

    draft_id: Id
    on_card: bool = False


class PayButton(CallbackData, PrivateOnly, prefix="pp"):
    """Goes on with one way to pay; `amount` is in Stars or in minor units."""

    step: PayStep
    way: PaymentMethod
    amount: Small
    draft_id: Id


class CheckInvoiceButton(CallbackData, PrivateOnly, prefix="pc"):
    topup_id: Id


class ContactAction(StrEnum):
    SHOW = "show"
    CHANGE = "set"
    DELETE = "del"


class FiscalContactButton(CallbackData, OpensPage, PrivateOnly, prefix="fc"):
    """Shows, changes or deletes where the fiscal receipts of the user who taps go."""

    action: ContactAction


class SubscriptionAction(StrEnum):
    SHOW = "show"
    BUY = "buy"
    CANCEL = "cancel"
    RESUME = "resume"


class SubscriptionButton(CallbackData, OpensPage, PrivateOnly, prefix="ps"):
    """Acts on the subscription of the user who taps; `draft_id` is the order that waits for the money, 0 is none."""

    action: SubscriptionAction
    draft_id: Id = 0


class TransferButton(CallbackData, PrivateOnly, prefix="t"):
    """Starts or leaves a transfer by hand; `draft_id` is the order that waits for the money, 0 is none."""

    action: TransferAction
    draft_id: Id = 0


class TransferSumButton(CallbackData, PrivateOnly, prefix="ts"):
    """Names the sum of a transfer, in minor units."""

    minor: Id


class TransferReceiptButton(CallbackData, PrivateOnly, prefix="tr"):
    """Waits for the receipt of a transfer (again)."""

    topup_id: Id


class ReceiptButton(CallbackData, prefix="r"):
    action: ReceiptAction
    receipt_id: Id


class OpenBroadcast(CallbackData, OpensPage, prefix="bc"):
    """Opens what a broadcast offers."""

    broadcast_id: Id


class ReasonButton(CallbackData, prefix="rr"):
    """Declines a receipt for one of the listed reasons, by number."""

    receipt_id: Id
    reason: Small


class SupportTopicButton(CallbackData, PrivateOnly, prefix="us"):
    """Opens a ticket about a job (0 is none) with one of the usual reasons."""

    job_id: Id
    topic: Topic


class TicketAction(StrEnum):
    """What a customer does with their ticket."""

    THREAD = "thread"
    WRITE = "write"
    CLOSE = "close"
    LEAVE = "leave"


class TicketButton(CallbackData, PrivateOnly, prefix="u"):
    action: TicketAction
    ticket_id: Id


class NewTicketButton(CallbackData, PrivateOnly, prefix="un"):
    """Asks what a new ticket about no job is about."""

    job_id: Id = 0


class DeskAction(StrEnum):
    """What an operator does with a ticket."""

    ANSWER = "answer"
    THREAD = "thread"
    REFUND = "refund"
    REPEAT = "repeat"
    SHOW = "show"
    CLOSE = "close"
    KEEP = "keep"


class AppealButton(CallbackData, prefix="ca"):
    """Asks an operator to look at a refused text."""

    refusal_id: Id


class AppealVerdict(StrEnum):
    ALLOW = "yes"
    DECLINE = "no"


class DecideAppealButton(CallbackData, prefix="cd"):
    """An operator's decision about an appeal."""

    verdict: AppealVerdict
    refusal_id: Id


class DeskButton(CallbackData, prefix="uo"):
    action: DeskAction
    ticket_id: Id


class DeskReasonButton(CallbackData, prefix="ur"):
    """Acts on a ticket for one of the listed reasons, by number."""

    action: DeskAction
    ticket_id: Id
    reason: Small


class PrivacyButton(CallbackData, OpensPage, PrivateOnly, prefix="pv"):
    """On the pages of /privacy. `shown` is the balance in minor units that a page to confirm has named."""

    action: PrivacyAction
    shown: Id = 0


class ConsentButton(CallbackData, prefix="cs"):
    """Under the question for consent: the draft whose card comes next, or the update that is handled again; 0 is none."""

    action: ConsentAction
    draft_id: Id = 0
    update: Id = 0


PRIVATE_BUTTONS: Final = tuple(each for each in CallbackData.__subclasses__() if issubclass(each, PrivateOnly))
