"""The models of a tunnel's command line and of its checks."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Check(BaseModel):
    """Result of one check from inside."""

    model_config = ConfigDict(frozen=True)

    ok: bool = Field(description="Whether it is as it should be.")
    told: str = Field(description="What was found.")


class Tunnel(BaseModel):
    """A command line for the laptop, and what is known of its route."""

    model_config = ConfigDict(frozen=True)

    line: str = Field(description="To be run on the laptop.")
    link: str | None = Field(description="What to open in the laptop's browser then, without a token.")
    node: str = Field(description="This machine, as its neighbours call it.")
    login_node: str | None = Field(description="Where the laptop logs in; null: at this machine itself.")
    checks: list[Check]
    notes: list[str]

    @property
    def sound(self) -> bool:
        """Whether all checks passed."""
        return all(check.ok for check in self.checks)
