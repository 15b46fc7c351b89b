/** The transport to a program that runs in a worker of the page. */

const PATIENCE = 8_000; // milliseconds
const PULSE = 2_000;
const ENDLESS = "The code does not come to an end. It was stopped.";
const ENDED = "The code has ended Python, which is started again.";

/** @implements {import("../parts/socket.js").Transport} */
export class WorkerTransport {
  #worker = null;
  #ports = new Set();
  /** What is being started, and how often that was tried. */
  #code = null;
  #tries = 0;
  #isReady = false;
  #wasRunning = false;
  #late = 0;
  #asked = 0;

  /**
   * @param {{played: (error: string, isEmpty: boolean) => void,
   *   printed: (text: string, count: number) => void, failed: (text: string) => void}} listener
   *   called when code has begun to run, or could not, with what it prints, of which only the last
   *   of `count` lines may be there, and if there is no Python
   * @param {number} patience milliseconds that the code may take for itself
   */
  constructor(listener, patience = PATIENCE) {
    this.listener = listener;
    this.patience = patience;
    this.#start();
    setInterval(() => this.#feelPulse(), PULSE);
  }

  /**
   * Run code in place of what runs now. If that does not give way, all of Python is started anew.
   *
   * @param {{source: string, file: string, name: string, mayBeScript?: boolean}} code
   */
  play(code) {
    this.#code = code;
    this.#tries = 0;
    this.#try();
  }

  /** End the program, whatever it does, and have Python ready for the next one. */
  stop() {
    this.#code = null;
    this.#wasRunning = false;
    this.#startAnew();
  }

  /** Whether Python is there. */
  get isReady() {
    return this.#isReady;
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
    this.#asked = 0;
    const script = `import ${JSON.stringify(new URL("worker.js", import.meta.url).href)};`;
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    this.#worker = new Worker(address, { type: "module" }); // one from a file has no policy
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = (event) => this.listener.failed(event.message ?? "Its files are missing.");
  }

  #startAnew() {
    clearTimeout(this.#late);
    this.#worker.terminate();
    this.#start();
    this.#endLines();
  }

  #endLines() {
    for (const end of this.#ports) end();
  }

  #try() {
    this.#tries += 1;
    this.#worker.postMessage({ do: "play", ...this.#code });
    this.#beginToWait();
  }

  /** Python itself may take its time; the code, once it is there, may not. */
  #beginToWait() {
    clearTimeout(this.#late);
    if (this.#isReady && this.#code) this.#late = setTimeout(() => this.#restart(), this.patience);
  }

  /** The first time what ran before may be to blame. */
  #restart() {
    this.#startAnew();
    if (this.#tries < 2 && this.#wasRunning) return this.#try();
    this.#giveUp(ENDLESS);
  }

  /** @param {string} reason */
  #giveUp(reason) {
    this.#code = null;
    this.#wasRunning = false;
    this.listener.played(reason, true);
  }

  #hear({ ready, played, error, isEmpty, printed, count, alive, failed, ended }) {
    if (printed !== undefined) this.listener.printed(printed, count);
    if (failed !== undefined) this.listener.failed(failed);
    if (ended !== undefined) {
      this.#startAnew();
      this.#giveUp(`${ended}\n${ENDED}`);
    }
    if (alive) this.#asked = 0;
    if (ready) {
      this.#isReady = true;
      this.#beginToWait();
    }
    if (played) {
      this.#code = null;
      clearTimeout(this.#late);
      if (!error) this.#endLines(); // what they show is gone
      this.#wasRunning = !isEmpty;
      this.listener.played(error, isEmpty);
    }
  }

  /** A machine may not come back from an update either. */
  #feelPulse() {
    if (!this.#wasRunning || this.#code || document.hidden) this.#asked = 0;
    else if (!this.#asked) {
      this.#asked = performance.now();
      this.#worker.postMessage({ do: "answer" });
    } else if (performance.now() - this.#asked > this.patience) {
      this.#startAnew();
      this.#giveUp(ENDLESS);
    }
  }
}
