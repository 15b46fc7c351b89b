/** Elements of the page: created, filled, kept in step with data. Text is never parsed as HTML. */

import { visible, visibleLines } from "./wording.js";

/**
 * Create an element.
 *
 * @param {string} tag
 * @param {{data?: object, on?: object, [attribute: string]: any}} [attributes] `data` are data-
 *   attributes, `on` are listeners; null and false leave an attribute out.
 * @param {...(Node|string)} children
 */
export function element(tag, { data = {}, on = {}, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(made, name, value);
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  Object.assign(made.dataset, data);
  made.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** Create an SVG element. */
export function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(made, name, value);
  made.append(...children);
  return made;
}

/** One of the icons in index.html. */
export function icon(name) {
  return shape("svg", { "aria-hidden": "true" }, shape("use", { href: `#icon-${name}` }));
}

/** Set an attribute; null and false remove it, true leaves it empty. */
export function setAttribute(target, name, value) {
  if (value === null || value === false || value === undefined) target.removeAttribute(name);
  else target.setAttribute(name, value === true ? "" : value);
}

/** Set the text of an element, unless it has it already. */
export function setText(target, text) {
  const shown = visible(text);
  if (target.firstChild?.data !== shown || target.childNodes.length !== 1) {
    target.textContent = shown;
  }
}

/** Set a text whose lines stay lines, where the style sheet keeps them. */
export function setLines(target, text) {
  const shown = visibleLines(text);
  if (target.textContent !== shown) target.textContent = shown;
}

/** Set a text that may be cut off; the tooltip has all of it. */
export function setLongText(target, text) {
  setText(target, text);
  if (target.title !== target.textContent) target.title = target.textContent;
}

/** The element of the page with this id. */
export const byId = (id) => document.getElementById(id);

/**
 * Give `parent` one child per item, in order. Children whose item is still there are kept.
 *
 * @param {(item: any) => string} key identifies an item
 * @param {(item: any) => Element} make
 * @param {(child: Element, item: any) => void} update called for every child
 */
export function matchChildren(parent, items, key, make, update) {
  const known = (parent.known ??= new Map());
  const kept = new Map();
  items.forEach((item, index) => {
    const name = unusedKey(kept, key(item));
    const child = known.get(name) ?? make(item);
    kept.set(name, child);
    if (parent.children[index] !== child)
      parent.insertBefore(child, parent.children[index] ?? null);
    update(child, item);
  });
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  parent.known = kept;
}

function unusedKey(kept, name) {
  let unused = name;
  for (let count = 2; kept.has(unused); count += 1) unused = `${name} #${count}`;
  return unused;
}
