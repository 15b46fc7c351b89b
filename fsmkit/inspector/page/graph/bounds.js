/** Bounds of parts of a drawing: `{left, top, right, bottom}`, in its own coordinates. */

/** The bounds of a part's shapes, visible or not. */
export function boundsOf(part) {
  const outlines = [...part.children].map(
    (child) => child.getAttribute("d") ?? child.getAttribute("points"),
  );
  const circles = [...part.children]
    .filter((child) => child.localName === "ellipse")
    .map(outlineOf);
  const numbers = ([...outlines, ...circles].join(" ").match(/-?[\d.]+/g) ?? []).map(Number);
  const across = numbers.filter((_, index) => index % 2 === 0);
  const down = numbers.filter((_, index) => index % 2 === 1);
  return {
    left: Math.min(...across),
    right: Math.max(...across),
    top: Math.min(...down),
    bottom: Math.max(...down),
  };
}

/** The middle of as many of these as fit. The first one always counts. */
export function middleOf(places, room) {
  const { left, right, top, bottom } = togetherIn(places, room);
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
}

/** The bounds of as many of these as fit. The first one always counts. */
export function togetherIn([first, ...others], { width, height }) {
  return others.reduce((all, each) => {
    const more = union(all, each);
    const fits = more.right - more.left <= width && more.bottom - more.top <= height;
    return fits ? more : all;
  }, first);
}

function union(a, b) {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

function outlineOf(ellipse) {
  const [x, y, across, down] = ["cx", "cy", "rx", "ry"].map((name) =>
    Number(ellipse.getAttribute(name)),
  );
  return `${x - across},${y - down} ${x + across},${y + down}`;
}
