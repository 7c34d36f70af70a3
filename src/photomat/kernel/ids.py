"""A type for every id, so that a user id cannot be passed as a job id."""

from typing import NewType

BotId = NewType("BotId", int)
UserId = NewType("UserId", int)
ChatId = NewType("ChatId", int)
MessageId = NewType("MessageId", int)
ReceivedId = NewType("ReceivedId", int)
DraftId = NewType("DraftId", int)
JobId = NewType("JobId", int)
TaskId = NewType("TaskId", str)
Fence = NewType("Fence", int)
InstanceId = NewType("InstanceId", str)
