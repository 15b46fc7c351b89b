/** On a narrow screen one part is shown at a time. */

import { setAttribute } from "./elements.js";

/** `data-tab` of the body says which; the buttons below set it. */
export function setUpTabs() {
  const tabs = [...document.querySelectorAll("#tabs button")];
  const mark = () => {
    const shown = document.body.dataset.tab;
    for (const tab of tabs)
      setAttribute(tab, "aria-current", tab.dataset.tab === shown ? "true" : null);
  };
  for (const tab of tabs) tab.onclick = () => (document.body.dataset.tab = tab.dataset.tab);
  new MutationObserver(mark).observe(document.body, { attributeFilter: ["data-tab"] });
  mark();
}
