/** Programs of the pages that run in the browser: the playground, and "Run it here". */

const ROOT = new URL(document.documentElement.dataset.content_root ?? "./", location.href);

const NARROW = matchMedia("(max-width: 46rem)");

const isDark = () => {
  const { theme } = document.body.dataset;
  return theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
};

const theme = () => (isDark() ? "dark" : "light");

function addressOf(hash) {
  const address = new URL("play/index.html", ROOT);
  address.hash = hash;
  return address.href;
}

/** The playground in a frame, in the colours of the page. */
function frame(program) {
  const made = document.createElement("iframe");
  made.className = "play";
  made.title = "The program, with its machine";
  made.src = addressOf(`program=${program}&theme=${theme()}`);
  const recolour = () => {
    const shown = made.contentDocument?.documentElement;
    if (shown) shown.dataset.theme = theme();
  };
  new MutationObserver(recolour).observe(document.body, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  return made;
}

function ownPage(program) {
  const link = document.createElement("a");
  link.href = addressOf(`program=${program}`);
  link.target = "_blank";
  link.textContent = "Open it on a page of its own";
  return link;
}

function addButton(place) {
  const { program } = place.dataset;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Run it here";
  button.title = `Run ${program} in this page`;
  button.setAttribute("aria-expanded", "false");
  const link = ownPage(program);
  button.onclick = () => {
    const shown = place.querySelector("iframe");
    if (shown) shown.remove();
    else place.append(frame(program));
    button.textContent = shown ? "Run it here" : "Close it";
    button.setAttribute("aria-expanded", String(!shown));
  };
  place.append(button, link);
}

/** The graph of a program, which is shown until it runs. */
function graph(program, mark) {
  const [, name] = program.match(/(\w+)\.py$/);
  const picture = document.createElement("img");
  picture.className = mark ? "only-dark" : "only-light";
  picture.alt = "";
  picture.loading = "lazy"; // of the two only the one that is seen
  picture.src = new URL(`_static/diagrams/${name}_actions${mark}.svg`, ROOT);
  return picture;
}

/** The playground itself. On a phone Python is loaded when the reader asks for it. */
function addPlayground(place) {
  const { program } = place.dataset;
  place.append(ownPage(program));
  if (!NARROW.matches) return place.append(frame(program));
  const button = document.createElement("button");
  const words = document.createElement("span");
  button.type = "button";
  words.textContent = "Run it here";
  button.append(graph(program, ""), graph(program, "_dark"), words);
  button.onclick = () => {
    const playing = frame(program);
    button.replaceWith(playing);
    playing.focus();
  };
  place.append(button);
}

for (const place of document.querySelectorAll(".run-here")) addButton(place);
for (const place of document.querySelectorAll(".play-here")) addPlayground(place);
