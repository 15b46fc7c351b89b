/** What the forms of all sheets have in common. */

/**
 * Set up a form in a popover.
 *
 * @param {() => void} submit called when it is sent
 * @param {() => void} changed called when something is typed or chosen
 */
export function setUpForm(popover, form, submit, changed) {
  form.onsubmit = (event) => {
    event.preventDefault();
    submit();
  };
  form.oninput = changed;
  sendByEnter(form);
  forgetTyping(popover);
}

/** Enter sends a form from a list as well, where it would open the list. */
function sendByEnter(form) {
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("select")) return;
    event.preventDefault();
    form.requestSubmit();
  });
}

/** Forget what was typed once a sheet has closed: Ctrl+Z in the code would undo that first. */
export function forgetTyping(popover) {
  popover.addEventListener("toggle", ({ newState }) => {
    if (newState !== "closed") return;
    for (const input of popover.querySelectorAll("input")) input.replaceWith(input.cloneNode());
  });
}
