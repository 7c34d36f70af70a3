"""How stories begin and end, said once."""

from typing import Final

from support.customer import Customer
from support.system import System

PAID: Final = "99,36 ₽"
"""What is left of the welcome credit after one Z-Image."""

NOTHING_PAID: Final = "100 ₽"


async def buys_something_endless(system: System, customer: Customer) -> int:
    """Buy a picture whose task does not end by itself; wait until the card says that it is being made."""
    system.kie.faults.arm(world="kie", method="task", action="never")
    card = await customer.buys()
    await system.until_job(
        lambda job: (
            job["user_id"] == customer.person.user_id
            and job["status"] == "running"
            and job["card_shown"] == job["card_wanted"]
        )
    )
    return card


async def ends_well(
    system: System, *customers: Customer, cards: tuple[int, ...], rings: int = 1, left: str = PAID
) -> None:
    """Each customer has one picture, on their card, rung for once, charged once, ordered once, and still so minutes later."""
    for customer in customers:
        await customer.gets_a_picture()
    await system.comes_to_rest()
    for customer, card in zip(customers, cards, strict=True):
        assert [picture["message_id"] for picture in customer.pictures()] == [card]
        await customer.is_rung(rings)
        await customer.has(left)
    assert len(system.kie.world.tasks) == len(customers), "one order at Kie for each purchase"
    async with system.sql() as connection:
        assert await connection.fetchval("SELECT count(*) FROM generation_jobs") == len(customers)


async def ends_without_a_picture(system: System, customer: Customer, *, tasks: int = 1) -> None:
    """No picture, nothing charged, and not more orders at Kie than said."""
    await system.comes_to_rest()
    assert not customer.pictures()
    assert len(system.kie.world.tasks) == tasks
    await customer.has(NOTHING_PAID)
