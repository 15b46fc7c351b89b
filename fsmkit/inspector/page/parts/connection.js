/** The connection to the server: requests out, messages in, reopened when it is lost. */

const FIRST_WAIT = 250;
const LONGEST_WAIT = 5_000;
const SILENCE = 10_000; // the server sends something every second

export class Connection {
  #socket = null;
  #next = 1;
  #pending = new Map();
  #wait = FIRST_WAIT;
  #retry = 0;
  #heard = 0;

  /**
   * @param {string|URL} address
   * @param {{message: (message: object) => void, change: (isOpen: boolean) => void}} listener
   */
  constructor(address, listener) {
    this.address = new URL(address, document.baseURI);
    this.address.protocol = this.address.protocol.replace("http", "ws");
    this.listener = listener;
    addEventListener("online", () => this.#reopenNow());
    setInterval(() => this.#checkSilence(), 1_000);
    this.open();
  }

  open() {
    clearTimeout(this.#retry);
    this.#heard = performance.now();
    const socket = new WebSocket(this.address);
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    socket.onclose = () => this.#closed(socket);
    this.#socket = socket;
  }

  /**
   * Send the server a request.
   *
   * @returns {Promise<object>} the answer; rejected with an Error whose message can be shown
   */
  ask(request, more = {}) {
    if (this.#socket.readyState !== WebSocket.OPEN) {
      return Promise.reject(new Error("Not connected to the program."));
    }
    const id = this.#next++;
    this.#socket.send(JSON.stringify({ ...more, id, do: request }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
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

  #closed(socket) {
    if (socket !== this.#socket) return;
    for (const { reject } of this.#pending.values()) reject(new Error("The connection was lost."));
    this.#pending.clear();
    this.listener.change(false);
    this.#retry = setTimeout(() => this.open(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
  }

  #reopenNow() {
    if (this.#socket.readyState === WebSocket.CLOSED) this.open();
  }

  #checkSilence() {
    const isSilent = performance.now() - this.#heard > SILENCE;
    if (isSilent && this.#socket.readyState <= WebSocket.OPEN) {
      const socket = this.#socket;
      this.#closed(socket); // close() of a dead connection may take a minute
      this.#socket = { readyState: WebSocket.CLOSED };
      socket.onmessage = null;
      socket.close();
    }
  }
}
