/** A picture that leads to a film becomes the film once it is seen; not for those who want no motion. */

const sight = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) if (isIntersecting) show(target);
});

/** Show the film in place of the picture, which is the first thing to see while the film is loaded. */
async function show(picture) {
  sight.unobserve(picture);
  await picture.decode();
  requestAnimationFrame(() => requestAnimationFrame(() => (picture.src = picture.closest("a").href)));
}

addEventListener("load", () => {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const picture of document.querySelectorAll("a.film img")) sight.observe(picture);
});
