/** Programs of the pages that run in the browser: the playground, and "Run it here". */

const ROOT = new URL(document.documentElement.dataset.content_root ?? "./", location.href);

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

for (const place of document.querySelectorAll(".run-here")) addButton(place);
for (const place of document.querySelectorAll(".play-here"))
  place.append(ownPage(place.dataset.program), frame(place.dataset.program));
