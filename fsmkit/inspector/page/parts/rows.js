/** A list of thousands of rows of equal height; only the visible ones are elements. */

import { element } from "./elements.js";

const SPARE = 4;

/** What the rows of a role must be in; the options of a listbox are in the pane itself. */
const TRACKS = { listitem: "list", row: "rowgroup", option: "presentation" };

export class Rows {
  #items = [];
  #pool = [];

  /**
   * @param {HTMLElement} pane the scrolling element
   * @param {number} height of a row, in pixels
   * @param {(row: HTMLElement, item: any, index: number) => void} fill
   * @param {string} role of a row
   */
  constructor(pane, height, fill, role) {
    this.pane = pane;
    this.height = height;
    this.fill = fill;
    this.role = role;
    this.track = element("div", { class: "track", role: TRACKS[role] });
    pane.append(this.track);
    pane.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(pane);
  }

  get isAtEnd() {
    const { scrollTop, clientHeight, scrollHeight } = this.pane;
    return scrollTop + clientHeight > scrollHeight - this.height;
  }

  show(items) {
    this.#items = items;
    this.track.style.height = `${items.length * this.height}px`;
    this.draw();
  }

  scrollToEnd() {
    this.pane.scrollTop = this.pane.scrollHeight;
    this.draw(); // or the end stays empty until the browser tells of the scrolling
  }

  /** Scroll just far enough to show a row, or so that it is in the middle, if there is such a row. */
  reveal(index, { isCentred = false } = {}) {
    if (index < 0) return;
    const top = index * this.height;
    const { scrollTop, clientHeight } = this.pane;
    if (isCentred) this.pane.scrollTop = top - (clientHeight - this.height) / 2;
    else if (top < scrollTop) this.pane.scrollTop = top;
    else if (top + this.height > scrollTop + clientHeight) {
      this.pane.scrollTop = top + this.height - clientHeight;
    }
  }

  draw() {
    const first = Math.max(0, Math.floor(this.pane.scrollTop / this.height) - SPARE);
    const count = Math.ceil(this.pane.clientHeight / this.height) + 2 * SPARE;
    const items = this.#items.slice(first, first + count);
    while (this.#pool.length < items.length) this.#pool.push(this.#addRow());
    this.#pool.forEach((row, index) => {
      row.hidden = index >= items.length;
      if (!row.hidden) this.#place(row, items[index], first + index);
    });
  }

  #addRow() {
    const row = element("div", { class: "row", role: this.role });
    this.track.append(row);
    return row;
  }

  #place(row, item, index) {
    if (row.index !== index) row.style.transform = `translateY(${index * this.height}px)`;
    row.index = index;
    this.fill(row, item, index);
  }
}
