/** Names in addresses. Any name has to get through, also one with half a letter in it (a surrogate). */

const HALF = /\p{Cs}/u;
const ENCODED_HALF = /((?:%ED%[AB][0-9A-F]%[89AB][0-9A-F])+)/i;

/** A name as a part of an address; the program decodes it with "surrogatepass". */
export const encoded = (name) =>
  [...name].map((letter) => (HALF.test(letter) ? bytesOf(letter) : encodeURIComponent(letter))).join("");

/** The name in a part of an address. Throws an error if it is no name. */
export const decoded = (text) =>
  text
    .split(ENCODED_HALF)
    .map((part) => (ENCODED_HALF.test(part) ? halvesOf(part) : decodeURIComponent(part)))
    .join("");

function bytesOf(half) {
  const code = half.charCodeAt(0);
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16).toUpperCase()}`).join("");
}

function halvesOf(text) {
  const bytes = text.match(/[0-9A-F]{2}/gi).map((digits) => parseInt(digits, 16));
  const codes = [];
  for (let at = 0; at < bytes.length; at += 3)
    codes.push(((bytes[at] & 0x0f) << 12) | ((bytes[at + 1] & 0x3f) << 6) | (bytes[at + 2] & 0x3f));
  return String.fromCharCode(...codes);
}
