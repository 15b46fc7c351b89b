/** The code in colours, behind the text field in which it is edited. */

import { element } from "../parts/elements.js";

const WORDS =
  "and as assert async await break class continue def del elif else except finally for from global if import in is " +
  "lambda nonlocal not or pass raise return try while with yield";

/** What has which colour. A text without an end goes on to the end of its line; a long one, of the code. */
const COLOURED = {
  comment: String.raw`#.*`,
  text: String.raw`(?:\b[rbuftRBUFT]{1,2})?(?:(?<long>"""|''')(?:\\[^]?|[^\\])*?(?:\k<long>|(?![^]))|(?<short>["'])(?:\\[^]|(?!\k<short>)[^\\\n])*\k<short>?)`,
  value: String.raw`\b(?:None|True|False)\b|(?<![\w.])(?:0[xXoObB][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?)`,
  word: String.raw`\b(?:${WORDS.replaceAll(" ", "|")})\b|\b(?:match|case)(?<=^[ \t]*\w+)(?= [^=\n]{1,99}:)`,
  decorator: String.raw`@[\w.]+(?<=^[ \t]*@[\w.]+)`,
};
const TOKEN = new RegExp(Object.entries(COLOURED).map(([name, source]) => `(?<${name}>${source})`).join("|"), "gm");

/** @typedef {{text: string, colour: string}} Piece */

export class CodeColours {
  /** @type {Piece[]} */
  #pieces = [];

  constructor() {
    this.code = element("pre");
    this.part = element("div", { id: "code-colours", "aria-hidden": "true" }, this.code);
  }

  /** Show code; what is as before at its beginning and its end stays. */
  show(code) {
    const before = this.#pieces;
    const now = pieces(code);
    const most = Math.min(before.length, now.length);
    let start = 0;
    while (start < most && isSame(before[start], now[start])) start += 1;
    let end = 0;
    while (end < most - start && isSame(before.at(-1 - end), now.at(-1 - end))) end += 1;
    const nodes = [...this.code.childNodes];
    for (const node of nodes.slice(start, nodes.length - end)) node.remove();
    const after = nodes[nodes.length - end] ?? null;
    for (const piece of now.slice(start, now.length - end)) this.code.insertBefore(shown(piece), after);
    this.#pieces = now;
  }

  /** Keep in step with the text field. */
  scroll(left, top) {
    this.code.style.translate = `${-left}px ${-top}px`;
  }
}

/** Split code where its colour changes. @returns {Piece[]} */
function pieces(code) {
  const found = [];
  let end = 0;
  const add = (to, colour) => {
    if (to > end) found.push({ text: code.slice(end, to), colour });
    end = to;
  };
  for (const { index, 0: text, groups } of code.matchAll(TOKEN)) {
    add(index, "");
    add(index + text.length, Object.keys(COLOURED).find((name) => groups[name] !== undefined));
  }
  add(code.length, "");
  return found;
}

const isSame = (one, other) => one.text === other.text && one.colour === other.colour;

function shown({ text, colour }) {
  if (!colour) return document.createTextNode(text);
  const made = element("span", { class: colour });
  made.textContent = text; // as it is: letters that cannot be seen have no width in the text field either
  return made;
}
