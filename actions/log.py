"""Log: write a line to the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import field

from actions.definition import define_action
from actions.parts.declarations import Finishes
from actions.parts.parameters import ContextT, LogText, is_message, text_of
from actions.parts.validators import is_instance
from fsmkit import FsmAction

if TYPE_CHECKING:
    from logging import Logger


def _is_logger(_action: Log[Any], _field: object, logger: object) -> None:
    """Raise TypeError unless `logger` is a logger, its name, or None."""
    if not (logger is None or isinstance(logger, str) or hasattr(logger, "isEnabledFor")):
        raise TypeError(f"Log: logger must be a logger or the name of one, got {logger!r}.")


def _level_name(level: int) -> str:
    """Return the name of a level, such as ERROR; its number if it has none."""
    import logging  # here, because most programs never need it and it costs start-up time

    name = logging.getLevelName(level)
    return str(level) if name == f"Level {level}" else name


@define_action
class Log(FsmAction[ContextT]):
    """Log `message`, a string or a function that takes the state or nothing, and finish.

    `logger` is a logger of the standard library or its name, by default `fsmkit.actions`; `level`
    is one of its levels, by default `logging.INFO`. The function is called only if the logger is
    enabled for that level.

    >>> import logging, sys
    >>> logger = logging.Logger("game")
    >>> logger.addHandler(logging.StreamHandler(sys.stdout))
    >>> from fsmkit import Fsm
    >>> fsm = Fsm("Guard", context={"name": "Ann"})
    >>> log = Log(lambda state: f"{state.context['name']} is in {state.name}", logger=logger)
    >>> _ = fsm.add_state("Patrol").add_action(log)
    >>> fsm.start()
    Ann is in Patrol
    """

    message: LogText[ContextT] = field(validator=is_message)
    logger: Logger | str | None = field(default=None, kw_only=True, validator=_is_logger)
    level: int = field(
        default=20,  # logging.INFO
        kw_only=True,
        validator=is_instance(int, "a number such as logging.INFO"),
        metadata={"shown": _level_name},
    )

    @property
    def finishes(self) -> Finishes | None:
        return "at once"

    def on_enter(self) -> None:
        import logging  # here, because most programs never need it and it costs start-up time

        logger = self.logger or "fsmkit.actions"
        if isinstance(logger, str):
            logger = logging.getLogger(logger)
        if logger.isEnabledFor(self.level):
            logger.log(self.level, "%s", text_of(self.message, self))
        self.finish()
