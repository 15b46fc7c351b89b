/** The program's side, in a thread of its own: Python, the machines, and what pages ask of them. */

import { loadPyodide } from "../../pyodide/pyodide.mjs";

const FRAME = 1_000 / 60; // milliseconds
const PORTION = 50; // milliseconds
const MOST_LINES = 1_000; // of a portion
const WITHIN_TRACEBACK = /^(?:Traceback | )/; // which is handed over whole
const ROOT = new URL("../../", import.meta.url);

/** What the program prints, handed over in portions. A page that shows text is slower than print. */
class Printed {
  #lines = [];
  #leftOut = 0;
  #handedOver = 0;

  add(line) {
    this.#lines.push(line);
    if (this.#lines.length > 2 * MOST_LINES) {
      this.#leftOut += MOST_LINES;
      this.#lines.splice(0, MOST_LINES);
    }
    const isDue = performance.now() - this.#handedOver > PORTION;
    if (isDue && !WITHIN_TRACEBACK.test(line)) this.handOver();
  }

  handOver() {
    this.#handedOver = performance.now();
    if (!this.#lines.length) return;
    const lines = this.#lines.splice(0);
    postMessage({ printed: lines.slice(-MOST_LINES).join("\n"), count: lines.length + this.#leftOut });
    this.#leftOut = 0;
  }
}

/** What speaks to one page. A message is handed over when the page has read the one before. */
class Line {
  #port;
  #page;
  #isRead = true;

  constructor(port, game) {
    this.#port = port;
    this.#page = game.open(() => this.pump());
    port.onmessage = ({ data }) => this.#receive(data);
  }

  pump() {
    const text = this.#isRead ? this.#page?.take() : undefined;
    if (text === undefined) return;
    this.#isRead = false;
    this.#port.postMessage(text);
  }

  /** Tell the page that it must open another line: the machine that it looks at is gone. */
  end() {
    this.#page?.close();
    this.#page?.destroy();
    this.#page = undefined;
    this.#port.postMessage(null);
    this.#port.close();
  }

  #receive(text) {
    if (text === null) {
      this.#isRead = true;
      this.pump();
    } else this.#page?.send(text);
  }
}

class Program {
  #lines = new Set();

  /**
   * @param {object} game the Game of fsmkit.inspector.browser.game
   * @param {(made: Function, ...more: any) => any} call calls Python in a way that it can be held
   */
  constructor(game, call) {
    this.game = game;
    this.call = call;
  }

  /** Play code in place of what is played, which may be held at a breakpoint. */
  async play({ source, file, name, mayBeScript = false }) {
    const error = await this.call(this.game.play, source, file, name, mayBeScript);
    if (!error) {
      for (const line of this.#lines) line.end();
      this.#lines.clear();
    }
    printed.handOver();
    postMessage({ played: true, error, isEmpty: this.game.is_empty });
  }

  open({ port }) {
    const line = new Line(port, this.game);
    this.#lines.add(line);
    line.pump();
  }

  /** Say that the program is alive, so that one that is not can be told from it. */
  answer() {
    postMessage({ alive: true });
  }

  /** Hand a page the reply to a request for a resource. */
  load({ address, body, port }) {
    const handOver = (status, headers, content) =>
      port.postMessage({ status, headers: JSON.parse(headers), body: content.toJs() });
    this.game.load(address, handOver, body && new Uint8Array(body));
  }

  async run() {
    for (let before = performance.now(); ; ) {
      const now = performance.now();
      await this.call(this.game.update, (now - before) / 1_000);
      for (const line of this.#lines) line.pump();
      printed.handOver();
      before = now;
      await sleep(Math.max(0, now + FRAME - performance.now()));
    }
  }
}

const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));

const printed = new Printed();
const print = (line) => printed.add(line);

async function prepare() {
  const [python, packages, viz] = await Promise.all([
    loadPyodide({ stdin: () => null, stdout: print, stderr: print }), // nobody answers input()
    fetch(new URL("python.zip", ROOT)).then((answer) => answer.arrayBuffer()),
    import("../../graphviz/viz.js").then((module) => module.instance(), () => null),
  ]);
  const site = python.runPython("import site; site.getsitepackages()[0]");
  python.unpackArchive(packages, "zip", { extractDir: site });
  const { Game, promise_signal } = python.pyimport("fsmkit.inspector.browser.game");
  const canWait = "Suspending" in WebAssembly; // then a call of Python can be put aside
  const call = (made, ...more) => (canWait ? made.callPromising(...more) : made(...more));
  const draw = viz ? (dot) => viz.renderString(dot, { format: "svg" }) : undefined;
  return new Program(Game(draw, await call(promise_signal), "."), call);
}

/** Messages that come before Python is there wait for it. */
const prepared = prepare();
prepared.then(
  (program) => {
    postMessage({ ready: true });
    program.run().catch(end);
  },
  (error) => postMessage({ failed: String(error) }),
);

/** Say that Python is no more, which only another worker can mend. */
function end(error) {
  printed.handOver();
  postMessage({ ended: String(error) });
  close();
}

onmessage = async ({ data }) => {
  const program = await prepared;
  try {
    await program[data.do](data);
  } catch (error) {
    end(error);
  }
};
