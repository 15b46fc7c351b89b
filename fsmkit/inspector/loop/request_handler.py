"""RequestHandler: carries out the requests of pages, in the loop's thread."""

from __future__ import annotations

from fsmkit.inspector.loop.requests import Answer, Request, RequestError


class RequestHandler:
    """Finds the method for a request among those of `topics`, whose public methods bear its name.

    A name that Python reserves has an underscore at its end. The methods raise RequestError if a
    request cannot be granted.
    """

    def __init__(self, *topics: object) -> None:
        self._topics = topics

    def answer(self, request: Request) -> Answer:
        """Carry out `request`."""
        for topic in self._topics:
            for name in (request.do, f"{request.do}_"):
                if (method := getattr(topic, name, None)) is not None:
                    answer: Answer | None = method(**request.arguments)
                    return answer or {}
        raise RequestError(f"{request.do!r} is not possible here.")
