/** On a narrow screen the parts are tabs. */

import { setAttribute } from "./elements.js";

export function setUpTabs() {
  const tabs = [...document.querySelectorAll("#tabs [role=tab]")];
  const mark = () => {
    for (const tab of tabs) setAttribute(tab, "aria-selected", String(tab.dataset.tab === document.body.dataset.tab));
  };
  for (const tab of tabs) tab.addEventListener("click", () => (document.body.dataset.tab = tab.dataset.tab));
  new MutationObserver(mark).observe(document.body, { attributeFilter: ["data-tab"] });
  mark();
}
