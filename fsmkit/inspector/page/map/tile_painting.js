/** The tiles below everybody: walls, and what is free in shades of its cost. */

const WALL = 0.62; // how much of the colour of edges
const COSTLY = 0.34;
const SHADES = 201; // of what is free

const painted = new WeakMap(); // tiles -> their picture and its colours

/** @param {import("./map_data.js").Tiles} tiles */
export function paintTiles(pen, view, tiles, paints) {
  const { columns, rows, left, top, width, height } = tiles;
  const [x, y] = [left - width / 2, top - height / 2];
  const [start, above] = [view.x(x), view.y(y)];
  const [end, below] = [view.x(x + columns * width), view.y(y + rows * height)];
  pen.save();
  if (tiles.costs) {
    pen.imageSmoothingEnabled = false;
    pen.translate(start, above);
    pen.scale((end - start) / columns, (below - above) / rows);
    pen.drawImage(pictureOf(tiles, paints), 0, 0);
  } else {
    pen.strokeStyle = paints.edge;
    pen.strokeRect(start, above, end - start, below - above);
  }
  pen.restore();
}

/** A pixel for each tile. */
function pictureOf(tiles, paints) {
  const known = painted.get(tiles);
  if (known?.paints === paints) return known.canvas;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [tiles.columns, tiles.rows];
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(tiles.columns, tiles.rows);
  const colours = shadesOf(paints);
  tiles.costs.forEach((cost, index) => image.data.set(colours[cost], 4 * index));
  pen.putImageData(image, 0, 0);
  painted.set(tiles, { canvas, paints });
  return canvas;
}

function shadesOf({ card, edge }) {
  const [from, to] = [numbersOf(card), numbersOf(edge)];
  const between = (share) => [...from.map((each, index) => each + (to[index] - each) * share), 255];
  const free = Array.from({ length: SHADES }, (_, shade) => between((COSTLY * shade) / (SHADES - 1)));
  return [between(WALL), ...free];
}

/** Red, green and blue of a colour of the style sheet. */
export const numbersOf = (colour) => colour.match(/[\d.]+/gu).slice(0, 3).map(Number);
