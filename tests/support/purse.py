"""A customer of the whole system who pays with Stars."""

from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.payments import repeat_payment
from photomat_sandbox.telegram.stars import StarCharge
from support.customer import Customer
from support.patience import until
from support.system import System

DECLINED = "stopped"


async def opens_a_bill(customer: Customer, package: str = "⭐ 50 ") -> str:
    """From /topup to the bill; give its link."""
    customer.says("/topup")
    await customer.taps("⭐ Telegram Stars")
    await customer.taps(package)
    _, button = await customer.finds("⭐ Оплатить")
    return str(button["url"])


def starts_to_pay(customer: Customer, link: str) -> str:
    """Press Pay behind a link; give the query's id."""
    world = customer.telegram.world
    return person_acts.pay_bill(world, customer.person, world.bills[link])


async def pays(customer: Customer, link: str) -> StarCharge:
    """Pay to the end."""
    world, before = customer.telegram.world, len(customer.telegram.world.stars.charges)
    starts_to_pay(customer, link)
    await until(lambda: len(world.stars.charges) > before, about=customer.story)
    return world.stars.charges[-1]


def told_again(customer: Customer, count: int) -> None:
    """Telegram tells of the last payment again, so often."""
    messages = customer.telegram.world.chat_messages(customer.person.user_id)
    message = next(one for one in reversed(messages) if "successful_payment" in one.extra)
    repeat_payment(customer.telegram.world, message, count=count)


async def payments(system: System) -> list[tuple[int, int, str]]:
    """Every payment there is: Stars, credit, and who told of it."""
    async with system.sql() as connection:
        rows = await connection.fetch("SELECT paid_amount, credit, via FROM payments ORDER BY payment_id")
    return [(row["paid_amount"], row["credit"], row["via"]) for row in rows]
