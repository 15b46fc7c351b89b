// The filter above the cards of the action gallery. Without scripts the page is whole all the same.

document.addEventListener("DOMContentLoaded", () => {
  const gallery = document.querySelector("section#action-gallery");
  if (gallery) {
    addFilter(gallery);
  }
});

function addFilter(gallery) {
  const groups = [...gallery.querySelectorAll(":scope > section")].filter((group) =>
    group.querySelector(":scope > section"),
  );
  const cards = groups.flatMap((group) => [...group.querySelectorAll(":scope > section")]);
  const texts = new Map(cards.map((card) => [card, foundBy(card)]));
  const form = document.createElement("form");
  form.className = "gallery-filter";
  form.setAttribute("role", "search");
  form.setAttribute("aria-label", "Actions");
  form.innerHTML =
    '<label for="gallery-filter">Find an action</label>' +
    '<input id="gallery-filter" type="search" autocomplete="off" spellcheck="false" ' +
    'placeholder="name, purpose, Playmaker name, event">' +
    '<output for="gallery-filter" aria-live="polite"></output>';
  const input = form.querySelector("input");
  const output = form.querySelector("output");

  function show() {
    const words = wordsOf(input.value);
    let count = 0;
    for (const card of cards) {
      card.hidden = !words.every((word) => texts.get(card).includes(` ${word}`));
      count += card.hidden ? 0 : 1;
    }
    for (const group of groups) {
      group.hidden = !group.querySelector(":scope > section:not([hidden])");
    }
    output.textContent = words.length ? `${count} of ${cards.length}` : `${cards.length} actions`;
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", (press) => {
    if (press.key === "Escape") {
      input.value = "";
      show();
    }
  });
  form.addEventListener("submit", (submit) => {
    submit.preventDefault();
    cards.find((card) => !card.hidden)?.querySelector("a[href*='gallery/']")?.focus();
  });
  // Who follows a link to a card that is hidden wants to see it.
  window.addEventListener("hashchange", () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target?.closest("[hidden]")) {
      input.value = "";
      show();
      target.scrollIntoView();
    }
  });
  groups[0].before(form);
  show();
}

function foundBy(card) {
  const group = card.parentElement.querySelector("h2");
  return ` ${wordsOf(`${card.textContent} ${group.textContent}`).join(" ")}`;
}

// `MoveTowards` and `finish_event` are found by their parts, too.
function wordsOf(text) {
  const apart = text.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/_/g, " ");
  return `${text} ${apart}`.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
}
