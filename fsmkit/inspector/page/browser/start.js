/** The page of a program that runs in the browser itself. */

import { startInspector } from "../main.js";
import { byId, setText } from "../parts/elements.js";
import { EditedCode } from "./edited_code.js";
import { Editor } from "./editor.js";
import { WorkerTransport } from "./worker_transport.js";

const { content: address, dataset } = document.querySelector("meta[name=fsmkit-program]");
const file = address.split("/").at(-1);
const editor = new Editor(file, () => run());
const code = new EditedCode(editor);
const transport = new WorkerTransport({
  played: (error) => {
    editor.tell(error, file);
    code.begun(!error);
  },
  printed: (text, count) => editor.print(text, file, count),
  failed: (text) => explain(`Python could not be started: ${text}`),
});

explain("Python is being loaded: 14 MB, from where this page comes from and nowhere else.");
editor.source = await (await fetch(address)).text();
run();
startInspector(transport, { code });

function run() {
  code.begin();
  transport.play({ source: editor.source, file, name: dataset.function });
}

/** The note in the place of the graph, until there is one. */
function explain(text) {
  byId("graph-note").hidden = false;
  setText(byId("graph-note"), text);
}
