/** The transport to a program that runs in a worker of the page. */

const PATIENCE = 8_000; // milliseconds
const ENDLESS = "The code does not come to an end. It was stopped.";

/** @implements {import("../parts/socket.js").Transport} */
export class WorkerTransport {
  #worker = null;
  #ports = new Set();
  /** What is being started, and how often that was tried. */
  #code = null;
  #tries = 0;
  #isReady = false;
  #late = 0;

  /**
   * @param {{played: (error: string) => void, printed: (text: string) => void,
   *   failed: (text: string) => void}} listener called when code has begun to run, or could not,
   *   with what it prints, and if there is no Python
   */
  constructor(listener) {
    this.listener = listener;
    this.#start();
  }

  /**
   * Run code in place of what runs now. If that does not give way, all of Python is started anew.
   *
   * @param {{source: string, file: string, name: string}} code
   */
  play(code) {
    this.#code = code;
    this.#tries = 0;
    this.#try();
  }

  open({ message, close }) {
    const { port1: port, port2 } = new MessageChannel();
    const line = {
      isOpen: true,
      send: (text) => port.postMessage(text),
      close: () => {
        line.isOpen = false;
        this.#ports.delete(end);
        port.close();
      },
    };
    const end = () => {
      line.close();
      close();
    };
    port.onmessage = ({ data }) => {
      if (data === null) return end();
      port.postMessage(null); // it may send the next one
      message(data);
    };
    this.#ports.add(end);
    this.#worker.postMessage({ do: "open", port: port2 }, [port2]);
    return line;
  }

  async load(address, body) {
    const { port1, port2 } = new MessageChannel();
    const reply = new Promise((resolve) => (port1.onmessage = resolve));
    const content = await body?.arrayBuffer();
    this.#worker.postMessage({ do: "load", address, body: content, port: port2 }, [port2]);
    const { status, headers, body: answer } = (await reply).data;
    port1.close();
    return new Response(answer, { status, headers });
  }

  #start() {
    this.#isReady = false;
    this.#worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = (event) => this.listener.failed(event.message ?? "Its files are missing.");
  }

  #try() {
    this.#tries += 1;
    this.#worker.postMessage({ do: "play", ...this.#code });
    this.#beginToWait();
  }

  /** Python itself may take its time; the code, once it is there, may not. */
  #beginToWait() {
    clearTimeout(this.#late);
    if (this.#isReady && this.#code) this.#late = setTimeout(() => this.#restart(), PATIENCE);
  }

  /** The first time what ran before may be to blame. */
  #restart() {
    this.#worker.terminate();
    this.#start();
    for (const end of this.#ports) end();
    if (this.#tries < 2) return this.#try();
    this.#code = null;
    this.listener.played(ENDLESS);
  }

  #hear({ ready, played, error, printed, failed }) {
    if (printed !== undefined) this.listener.printed(printed);
    if (failed !== undefined) this.listener.failed(failed);
    if (ready) {
      this.#isReady = true;
      this.#beginToWait();
    }
    if (played) {
      this.#code = null;
      clearTimeout(this.#late);
      this.listener.played(error);
    }
  }
}
