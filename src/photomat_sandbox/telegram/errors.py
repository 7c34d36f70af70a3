"""Refusals as Telegram words them: an error code, a description with its prefix, and sometimes parameters."""

from typing import Any

JsonObject = dict[str, Any]


class ApiError(Exception):
    """The Bot API refuses; the HTTP status equals the code."""

    def __init__(self, code: int, description: str, *, parameters: JsonObject | None = None) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    def as_json(self) -> JsonObject:
        body: JsonObject = {"ok": False, "error_code": self.code, "description": self.description}
        if self.parameters:
            body["parameters"] = self.parameters
        return body


def bad_request(text: str) -> ApiError:
    return ApiError(400, f"Bad Request: {text}")


def forbidden(text: str) -> ApiError:
    return ApiError(403, f"Forbidden: {text}")


def conflict(text: str) -> ApiError:
    return ApiError(409, f"Conflict: {text}")


def not_modified() -> ApiError:
    return bad_request(
        "message is not modified: specified new message content and reply markup are exactly the same"
        " as a current content and reply markup of the message"
    )


def too_many_requests(retry_after: int) -> ApiError:
    """Refuse because of flood limits; the answer also carries a Retry-After header."""
    return ApiError(429, f"Too Many Requests: retry after {retry_after}", parameters={"retry_after": retry_after})


def query_too_old() -> ApiError:
    """Refuse the answer to a query that is answered, expired or unknown."""
    return bad_request("query is too old and response timeout expired or query ID is invalid")
