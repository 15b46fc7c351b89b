/** Code in a link: behind the # of an address, which no browser sends to a server. */

const LONGEST = 400_000; // letters of code, so that a small link cannot fill the memory
const TOO_LONG = "The code in the link is too long.";
const DAMAGED = "The link is damaged: its code cannot be read.";

/**
 * Pack code into letters, digits, "-" and "_".
 *
 * The first letter says how: "d" for deflate, "p" for plain, in a browser that cannot compress.
 *
 * @param {string} code
 * @returns {Promise<string>}
 */
export async function pack(code) {
  const bytes = new TextEncoder().encode(code);
  if (!("CompressionStream" in window)) return `p${written(bytes)}`;
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return `d${written(new Uint8Array(await new Response(stream).arrayBuffer()))}`;
}

/**
 * Return what was packed.
 *
 * @param {string} text
 * @returns {Promise<string>} rejected with an Error whose message can be shown
 */
export async function unpack(text) {
  try {
    const bytes = read(text.slice(1));
    if (text[0] === "p") return decoded(bytes);
    if (text[0] !== "d") throw new Error(DAMAGED);
    return decoded(await inflated(bytes));
  } catch (error) {
    throw new Error(error.message === TOO_LONG ? TOO_LONG : DAMAGED);
  }
}

function decoded(bytes) {
  const code = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  if (code.length > LONGEST) throw new Error(TOO_LONG);
  return code;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const parts = [];
  let size = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    size += value.length;
    if (size > 4 * LONGEST) {
      reader.cancel();
      throw new Error(TOO_LONG);
    }
  }
}

function written(bytes) {
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function read(text) {
  const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}
