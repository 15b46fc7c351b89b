/** The socket: how the page speaks with a program that serves it. Nothing else knows the server. */

/**
 * What carries messages between the page and a program. Another one may be handed to
 * `startInspector`.
 *
 * @typedef {object} Transport
 * @property {(listener: Listener) => Line} open open a line for messages
 * @property {(address: string, body?: Blob) => Promise<Response>} load load a resource, or hand
 *   in `body`; rejected if the program cannot be reached
 *
 * @typedef {{message: (text: string) => void, close: () => void}} Listener
 *   called with each message, and once the line is closed or could not be opened; never from
 *   within `open`
 *
 * @typedef {{isOpen: boolean, send: (text: string) => void, close: () => void}} Line
 */

/** @implements {Transport} */
export class Server {
  open({ message, close }) {
    const address = new URL("socket", document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    const socket = new WebSocket(address);
    socket.onmessage = ({ data }) => message(data);
    socket.onclose = close;
    return {
      get isOpen() {
        return socket.readyState === WebSocket.OPEN;
      },
      send: (text) => socket.send(text),
      close: () => socket.close(),
    };
  }

  load(address, body) {
    return fetch(address, body && { method: "POST", body });
  }
}
