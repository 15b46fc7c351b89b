"""Paints the swarm with NumPy and pygame-ce, into pictures or a window."""

from pathlib import Path
from typing import Final

import numpy as np
import pygame

from fsmkit.crowd import Crowd

SIZE: Final = (1280, 720)
SCALE: Final = 80.0
"""Pixels of a metre; (0, 0) is in the middle."""

COLOURS: Final = {
    "Cruising": (0.04, 0.27, 0.51),
    "Fleeing": (0.96, 0.29, 0.05),
    "Startled": (0.88, 0.75, 0.40),
    "Calming": (0.34, 0.10, 0.42),
}
"""State -> the light of a fish: red, green, blue."""

FADING: Final = 0.78
"""The share of the light that remains in the next frame."""

STREAK: Final = np.linspace(0.0, 0.06, 8)
"""The seconds of its path that a fish lights up."""

HALF_A_SHARK: Final = (
    (0.80, 0.00), (0.72, 0.07), (0.55, 0.13), (0.35, 0.17), (0.22, 0.18), (0.08, 0.36),
    (-0.10, 0.50), (-0.05, 0.32), (0.00, 0.16), (-0.25, 0.12), (-0.38, 0.20), (-0.36, 0.09),
    (-0.58, 0.04), (-0.72, 0.03), (-0.98, 0.22), (-0.84, 0.00),
)  # fmt: skip
"""Seen from above, in metres from its middle."""


class Painter:
    """Paints every fish as a streak of light in the colour of its state; the light fades away."""

    def __init__(self) -> None:
        width, height = SIZE
        depth = np.linspace(1.0, 0.0, height)[:, None, None]
        self.sea = np.float32(depth * [3, 20, 38] + (1.0 - depth) * [1, 4, 14])
        self.light = np.zeros((height, width, 3), np.float32)
        self.shark = pygame.Vector2()
        self.heading = pygame.Vector2(1.0, 0.0)

    def paint(self, crowd: Crowd) -> pygame.Surface:
        """Paint the next frame."""
        self.light *= FADING
        self.add_fish(crowd)
        seen = self.sea + (255 - self.sea) * (1 - np.exp(-self.light))
        surface = pygame.surfarray.make_surface(seen.astype(np.uint8).swapaxes(0, 1))
        add_glow(surface)
        self.draw_shark(surface, pygame.Vector2(crowd.world.shark_x, crowd.world.shark_y))
        return surface

    def save(self, crowd: Crowd, path: Path) -> None:
        """Write the next frame to a file."""
        pygame.image.save(self.paint(crowd), path)

    def add_fish(self, crowd: Crowd) -> None:
        width, height = SIZE
        x = (crowd["x"][:, None] - crowd["vx"][:, None] * STREAK) * SCALE + width / 2
        y = (crowd["y"][:, None] - crowd["vy"][:, None] * STREAK) * SCALE + height / 2
        seen = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        pixels = y[seen].astype(int) * width + x[seen].astype(int)
        colours = np.array([COLOURS[state] for state in crowd.machine.states])
        strength = np.linspace(1.0, 0.2, len(STREAK))
        for channel in range(3):
            given = (colours[crowd.states, channel, None] * strength)[seen]
            light = np.bincount(pixels, given, width * height)
            self.light[..., channel] += light.reshape(height, width)

    def draw_shark(self, surface: pygame.Surface, place: pygame.Vector2) -> None:
        moved = place - self.shark
        if 0.0 < moved.length() < 1.0:
            self.heading = self.heading.lerp(moved.normalize(), 0.3)
        self.shark = place
        angle = pygame.Vector2(1.0, 0.0).angle_to(self.heading)
        middle = pygame.Vector2(SIZE) / 2 + place * SCALE
        shape = [*HALF_A_SHARK, *((x, -y) for x, y in reversed(HALF_A_SHARK))]
        outline = [middle + pygame.Vector2(each).rotate(angle) * SCALE for each in shape]
        if surface.get_rect().inflate(200, 200).collidepoint(middle):
            pygame.draw.polygon(surface, (214, 228, 236), outline)
            pygame.draw.aalines(surface, (214, 228, 236), True, outline)


class Window:
    """Shows a swarm until it is closed."""

    def __init__(self, frames_per_second: int) -> None:
        self.frames_per_second = frames_per_second
        self.screen = pygame.display.set_mode(SIZE, pygame.SCALED | pygame.RESIZABLE)
        self.clock = pygame.time.Clock()
        self.painter = Painter()

    @property
    def is_open(self) -> bool:
        """True until it is closed."""
        return not pygame.event.get(pygame.QUIT)

    @property
    def mouse(self) -> tuple[float, float] | None:
        """The position of the mouse, in metres; None if it is outside the window."""
        pygame.event.pump()
        if not pygame.mouse.get_focused():
            return None
        x, y = (pygame.Vector2(pygame.mouse.get_pos()) - pygame.Vector2(SIZE) / 2) / SCALE
        return x, y

    def show(self, crowd: Crowd) -> None:
        """Show the next frame, at its time."""
        self.screen.blit(self.painter.paint(crowd), (0, 0))
        pygame.display.flip()
        counts = crowd.count().items()
        pygame.display.set_caption(",  ".join(f"{state} {count:,}" for state, count in counts))
        self.clock.tick(self.frames_per_second)


def add_glow(surface: pygame.Surface) -> None:
    """Let bright places shine on their surroundings."""
    small = pygame.transform.smoothscale(surface, (SIZE[0] // 4, SIZE[1] // 4))
    glow = pygame.transform.smoothscale(pygame.transform.gaussian_blur(small, 6), SIZE)
    glow.fill((150, 150, 150), special_flags=pygame.BLEND_MULT)
    surface.blit(glow, (0, 0), special_flags=pygame.BLEND_ADD)
