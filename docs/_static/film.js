/** A picture that leads to a film becomes the film, once the page is there; not for those who want no motion. */

addEventListener("load", () => {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const link of document.querySelectorAll("a.film")) link.querySelector("img").src = link.href;
});
