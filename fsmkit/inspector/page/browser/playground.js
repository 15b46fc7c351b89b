/** The playground: programs from a list, from a link, or from the reader, run in the browser. */

import { startInspector } from "../main.js";
import { download } from "../parts/download.js";
import { byId, element, icon, setText } from "../parts/elements.js";
import { EditedCode } from "./edited_code.js";
import { Editor } from "./editor.js";
import { Kept } from "./kept.js";
import { pack, unpack } from "./share.js";
import { WorkerTransport } from "./worker_transport.js";

const PATIENCE = 20_000; // milliseconds
const LONG_LINK = 8_000; // letters, from which on some programs cut a link
const COVERS = matchMedia("(max-width: 1159px)"); // the code, what is behind it; see browser.css
const SHARED = "shared.py";

const LOADING =
  "Python is being loaded: 14 MB, from where this page comes from and nowhere else. It takes some seconds.";
const RUNNING = "The program is being run.";
const STOPPED = "The program was stopped. Run starts it from the beginning.";
const FAILED = "The code has an error, which is told below it.";
const GOES_ON = "The code has an error. What ran before goes on.";
const EMPTY =
  "The program came to its end and made no machine, so there is nothing to look at here. What it printed is below the code.";
const NOTHING = "There is no code to run.";
const FROM_LINK =
  "This code came with a link, and anybody can write such a link. So it has not been run: read it, then press Run.";
const LINKED = "The code is in the link itself, after the #. It is sent to no server.";

/** @typedef {{file: string, title: string, group: string, test: string}} Listed a program, and its
 * test if it has one, by their paths */

class Playground {
  /** What is edited: a path of the list, or "" for code from a link. */
  #chosen = "";
  #wanted = "";
  /** The code of the link, as it is in the address. */
  #packed = "";
  /** The code of programs as it was, and as the reader has changed it. */
  #given = new Map();
  #changed = new Kept("fsmkit code");
  #inspector = null;
  /** The program whose machines are shown, as `#key` names it. */
  #shown = null;
  /** The one that is being run. */
  #next = null;
  #hasMachine = false;

  /** @param {Listed[]} programs */
  constructor(programs) {
    this.programs = programs;
    this.stage = element("section", { id: "stage", "aria-label": "Program", role: "status" });
    byId("parts").after(this.stage);
    this.list = this.#listOf(programs);
    this.note = element("p", { id: "code-note", class: "code-note", role: "status", hidden: true });
    this.said = element("p", { id: "code-said", class: "code-note" });
    this.editor = new Editor(this.list, () => this.#run(), this.#buttons());
    this.code = new EditedCode(this.editor);
    this.editor.output.part.before(this.note, this.said);
    this.editor.area.addEventListener("input", () => this.#edited());
    document.body.append(this.#linkMenu());
    this.transport = new WorkerTransport(
      {
        played: (error, isEmpty) => this.#played(error, isEmpty),
        printed: (text, count) => this.editor.print(text, this.#file, count),
        failed: (text) => this.#say(`Python could not be started: ${text}`),
      },
      PATIENCE,
    );
    addEventListener("hashchange", () => this.read());
    addEventListener("keydown", (event) => this.#pressed(event));
  }

  /** Show what the address asks for: a program, or the code in it. */
  async read() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const theme = asked.get("theme");
    if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
    if (asked.has("code")) return this.#showLinked(asked.get("code"));
    const wanted = asked.get("program");
    const known = this.programs.find(({ file }) => file === wanted);
    if (!(await this.#choose((known ?? this.programs[0]).file))) return;
    this.#run();
    if (wanted && !known) this.#warn(`There is no program ${wanted} here.`);
  }

  get #file() {
    return this.#chosen.split("/").at(-1) || SHARED;
  }

  async #showLinked(packed) {
    let code;
    try {
      code = await unpack(packed);
    } catch (error) {
      await this.#choose(this.programs[0].file);
      this.#end();
      this.#say(error.message);
      return this.#warn(error.message);
    }
    this.#given.set("", code);
    this.#packed = packed;
    this.list.querySelector('[value=""]').hidden = false;
    await this.#choose("");
    this.#end();
    this.#say(FROM_LINK, true);
    this.editor.show(true);
  }

  /** Show a program; false if another one was chosen while its code was on the way. */
  async #choose(path) {
    this.#wanted = path;
    if (!this.#given.has(path)) this.#given.set(path, await textOf(`programs/${path}`));
    if (this.#wanted !== path) return false;
    this.#chosen = path;
    this.list.value = path;
    this.#warn("");
    this.editor.output.clear();
    this.editor.tell("");
    this.editor.source = this.#changed.get(this.#key) ?? this.#given.get(path);
    this.#edited();
    return true;
  }

  /** What changed code is kept by: that of one link is none of another's. */
  get #key() {
    return this.#chosen || `#${this.#packed}`;
  }

  #edited() {
    const { source } = this.editor;
    const isChanged = source !== this.#given.get(this.#chosen);
    if (isChanged) this.#changed.set(this.#key, source);
    else this.#changed.delete(this.#key);
    this.reset.disabled = !isChanged;
  }

  #run() {
    const { source } = this.editor;
    if (!source.trim()) return this.editor.tell(NOTHING);
    this.#warn("");
    this.stop.disabled = false;
    this.#next = this.#key;
    this.code.begin();
    if (!this.#hasMachine) this.#say(this.transport.isReady ? RUNNING : LOADING);
    this.transport.play({ source, file: this.#file, name: "build", mayBeScript: true });
  }

  #played(error, isEmpty) {
    this.#hasMachine = !isEmpty;
    this.stop.disabled = isEmpty;
    this.editor.tell(error, this.#file);
    if (isEmpty) {
      this.code.end();
      return this.#showEmpty(error);
    }
    if (error) this.#warn(GOES_ON);
    delete document.body.dataset.stage;
    if (!error) this.#show();
    this.code.begun(!error);
    if (!error && COVERS.matches && this.editor.isOpen) this.editor.toggle();
  }

  /** Show what runs now: the program of before, started again, or another one. */
  #show() {
    if (this.#next !== this.#shown) this.#inspector?.forget();
    this.#shown = this.#next;
    if (this.#inspector) this.#inspector.reopen();
    else this.#inspector = startInspector(this.transport, { ownsAddress: false, code: this.code });
  }

  #showEmpty(error) {
    this.#say(error ? FAILED : EMPTY);
    this.editor.show(true);
  }

  #end() {
    this.transport.stop();
    this.code.end();
    this.#hasMachine = false;
    this.stop.disabled = true;
  }

  /** Say something in the place of the inspector. */
  #say(text, mayRun = false) {
    document.body.dataset.stage = "";
    this.stage.replaceChildren(element("p", {}, text));
    setText(this.said, text);
    setText(byId("title"), "fsmkit");
    if (!mayRun) return;
    const run = element("button", { class: "primary" }, "Run");
    run.onclick = this.editor.run;
    this.stage.append(run);
  }

  #warn(text) {
    this.note.hidden = !text;
    setText(this.note, text);
  }

  /** Show the code from the beginning where there is room for both. */
  begin() {
    if (!COVERS.matches) this.editor.show(true);
  }

  #listOf(programs) {
    const list = element("select", { id: "program", "aria-label": "Program" });
    const shared = element("option", { value: "", hidden: true }, "Code from a link");
    const optionsOf = (label) =>
      programs
        .filter(({ group }) => group === label)
        .map(({ file, title }) => element("option", { value: file }, title));
    list.append(shared, ...optionsOf(""));
    for (const label of new Set(programs.map(({ group }) => group).filter(Boolean)))
      list.append(element("optgroup", { label }, ...optionsOf(label)));
    list.onchange = async () => {
      if (!(await this.#choose(list.value))) return;
      this.#setAddress(list.value && `#program=${list.value}`);
      if (list.value) return this.#run();
      this.#end();
      this.#say(FROM_LINK, true);
    };
    return list;
  }

  #setAddress(hash) {
    history.replaceState(null, "", hash || location.pathname + location.search);
  }

  #buttons() {
    this.stop = element("button", { id: "code-stop", title: "End the program", disabled: true }, "Stop");
    this.stop.onclick = () => {
      this.#end();
      this.#say(STOPPED, true);
    };
    const advice = "Put the code back as it was";
    this.reset = element("button", { id: "code-reset", title: advice, disabled: true }, "Reset");
    this.reset.onclick = () => this.#reset();
    const title = "Make a link that holds the code";
    this.link = element("button", { id: "code-link", title }, "Link");
    this.link.onclick = () => this.#showLink();
    const file = { id: "code-download", class: "icon", title: "Download the code", "aria-label": "Download" };
    this.download = element("button", file, icon("download"));
    this.download.onclick = () => this.#download();
    return [this.stop, this.reset, this.link, this.download];
  }

  /** Put the code back; Ctrl+Z brings the changes again. */
  #reset() {
    const given = this.#given.get(this.#chosen);
    this.editor.area.select();
    document.execCommand("insertText", false, given);
    if (this.editor.source !== given) this.editor.source = given;
    this.editor.area.scrollTo(0, 0);
    this.editor.mark(0);
    this.#edited();
  }

  /** Save the code as a file, and its test if it has one. */
  async #download() {
    const { test } = this.programs.find(({ file }) => file === this.#chosen) ?? {};
    download(textFile(this.editor.source), this.#file);
    if (test) download(textFile(await textOf(`programs/${test}`)), test.split("/").at(-1));
  }

  #linkMenu() {
    this.address = element("input", { id: "link-address", readonly: true, "aria-label": "Link" });
    const copy = element("button", { id: "link-copy", class: "primary" }, "Copy");
    this.copied = element("p", { id: "link-about", role: "status" });
    copy.onclick = () => this.#copy();
    this.menu = element("div", { id: "link-menu", class: "menu", popover: "auto", role: "dialog" });
    this.menu.setAttribute("aria-label", "Link to this code");
    this.menu.append(this.copied, this.address, copy);
    return this.menu;
  }

  async #showLink() {
    const hash = `#code=${await pack(this.editor.source)}`;
    this.address.value = new URL(hash, location.href).href;
    const { length } = this.address.value;
    const isLong = length > LONG_LINK;
    setText(this.copied, isLong ? `${LINKED} It has ${length} letters; some programs cut it.` : LINKED);
    this.menu.showPopover();
    const { bottom, left } = this.link.getBoundingClientRect();
    const room = innerWidth - this.menu.offsetWidth - 8;
    this.menu.style.top = `${bottom + 6}px`;
    this.menu.style.left = `${Math.max(8, Math.min(left, room))}px`;
    this.address.focus();
    this.address.select();
  }

  async #copy() {
    this.address.select();
    try {
      await navigator.clipboard.writeText(this.address.value);
      setText(this.copied, "Copied.");
    } catch {
      setText(this.copied, "The browser does not let the page copy. Copy what is selected.");
    }
  }

  #pressed(event) {
    if (event.defaultPrevented || event.key !== "Enter") return;
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    this.editor.run();
  }
}

const textFile = (text) => new Blob([text], { type: "text/x-python" });

async function textOf(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.text();
}

const playground = new Playground(JSON.parse(await textOf("programs.json")));
playground.begin();
await playground.read();
