"""The models of a tunnel's command line and of its checks."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Check(BaseModel):
    """Result of one check from inside."""

    model_config = ConfigDict(frozen=True)

    ok: bool = Field(description="Whether the check passed.")
    told: str = Field(description="What was found.")


class Tunnel(BaseModel):
    """A command line for the laptop, and what is known of its route."""

    model_config = ConfigDict(frozen=True)

    line: str = Field(description="To be run on the laptop.")
    link: str | None = Field(description="URL for the laptop's browser, without a token.")
    node: str = Field(description="Host name of this machine on its network.")
    login_node: str | None = Field(description="Host that the laptop logs in to; null: this machine.")
    checks: list[Check]
    notes: list[str]

    @property
    def sound(self) -> bool:
        """Whether all checks passed."""
        return all(check.ok for check in self.checks)
