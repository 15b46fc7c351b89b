/** The connection to the program: requests out, messages in, reopened when it is lost. */

const FIRST_WAIT = 250;
const LONGEST_WAIT = 2_000;
const NOT_CONNECTED = "Not connected to the program.";
const SILENCE = 10_000; // the program sends something every second

export class Connection {
  /** @type {import("./socket.js").Line|null} null while it is lost */
  #line = null;
  #next = 1;
  #pending = new Map();
  #wait = FIRST_WAIT;
  #retry = 0;
  #heard = 0;

  /**
   * @param {import("./socket.js").Transport} transport
   * @param {{message: (message: object) => void, change: (isOpen: boolean) => void}} listener
   */
  constructor(transport, listener) {
    this.transport = transport;
    this.listener = listener;
    addEventListener("online", () => this.reopen());
    setInterval(() => this.#checkSilence(), 1_000);
    this.open();
  }

  open() {
    clearTimeout(this.#retry);
    this.#heard = performance.now();
    const line = this.transport.open({
      message: (text) => line === this.#line && this.#receive(JSON.parse(text)),
      close: () => this.#closed(line),
    });
    this.#line = line;
  }

  /** Open it now if it is lost, instead of after a while. */
  reopen() {
    if (!this.#line) this.open();
  }

  /**
   * Send the program a request.
   *
   * @returns {Promise<object>} the answer; rejected with an Error whose message can be shown
   */
  ask(request, more = {}) {
    if (!this.#line?.isOpen) return Promise.reject(new Error(NOT_CONNECTED));
    const id = this.#next++;
    this.#line.send(JSON.stringify({ ...more, id, do: request }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /**
   * Load what is no message: a drawing, a snapshot, the recording; or hand in a snapshot.
   *
   * @param {string} address
   * @param {Blob} [body] what is handed in
   * @returns {Promise<Response>} rejected with an Error whose message can be shown
   */
  async load(address, body) {
    const answer = await this.transport.load(address, body).catch(() => null);
    if (!answer) throw new Error(NOT_CONNECTED);
    if (answer.ok) return answer;
    const { error } = await answer.json().catch(() => ({}));
    throw new Error(error ?? `The program answered ${answer.status}.`);
  }

  #receive(message) {
    this.#heard = performance.now();
    if (message.type === "answer") this.#answer(message);
    else {
      if (message.type === "hello") this.#opened();
      this.listener.message(message);
    }
  }

  #answer(answer) {
    const asked = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    if (answer.error !== undefined) asked?.reject(new Error(answer.error));
    else asked?.resolve(answer);
  }

  #opened() {
    this.#wait = FIRST_WAIT;
    this.listener.change(true);
  }

  #closed(line) {
    if (line !== this.#line) return;
    this.#line = null;
    for (const { reject } of this.#pending.values()) reject(new Error("The connection was lost."));
    this.#pending.clear();
    this.listener.change(false);
    this.#retry = setTimeout(() => this.open(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
  }


  #checkSilence() {
    const line = this.#line;
    if (!line || performance.now() - this.#heard <= SILENCE) return;
    this.#closed(line); // close() of a dead connection may take a minute
    line.close();
  }
}
