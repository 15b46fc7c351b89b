/** Texts that outlast a reload of the page, for as long as its tab is open. */

export class Kept {
  #here = new Map();

  /** @param {string} name of what is kept; the address is added, so that sites do not mix */
  constructor(name) {
    this.prefix = `${name} ${location.pathname} `;
  }

  get(key) {
    if (this.#here.has(key)) return this.#here.get(key);
    return this.#ask((store) => store.getItem(this.prefix + key)) ?? undefined;
  }

  set(key, text) {
    this.#here.set(key, text);
    this.#ask((store) => store.setItem(this.prefix + key, text));
  }

  delete(key) {
    this.#here.delete(key);
    this.#ask((store) => store.removeItem(this.prefix + key));
  }

  /** A browser may forbid it, or have no room. Then all is kept until the reload. */
  #ask(what) {
    try {
      return what(sessionStorage);
    } catch {
      return undefined;
    }
  }
}
