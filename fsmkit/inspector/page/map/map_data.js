/** The data of the map: where everybody is, was a moment ago, and what is below. */

/**
 * @typedef {{number: number, count: number, names: string[]|null, places: Map<string, number>}} RollCall
 *   `names` is null for a crowd, whose agents are known by their index
 * @typedef {{time: number, roll: RollCall, x: ArrayLike<number>, y: ArrayLike<number>,
 *   states: Uint16Array, origin: [number, number]}} Frame
 * @typedef {{machine: number, kind: "way"|"target", points: [number, number][]}} Course
 * @typedef {{number: number, version: number, columns: number, rows: number, left: number,
 *   top: number, width: number, height: number, costs: Uint8Array|null}} Tiles
 */

export class MapData {
  /** @type {Frame[]} the last seconds, up to the moment that is shown */
  frames = [];
  /** @type {string[]} */
  states = [];
  /** @type {Course[]} */
  courses = [];
  /** @type {Map<string, number>} agent of a crowd that was singled out -> its index */
  agents = new Map();
  /** @type {Tiles|null} */
  tiles = null;
  /** The versions that the program's grids have by now. */
  grounds = [];
  /** The time from which on positions are kept; null for never. */
  begun = null;
  /** @type {RollCall|null} */
  #roll = null;
  #pointsUp = true;

  /** @returns {Frame|null} the one that is shown */
  get shown() {
    return this.frames.at(-1) ?? null;
  }

  /** Seconds of the past that are kept with a moment; 0 for a crowd, which has no trails. */
  trail = 6;
  /** True if the last frame is of now. */
  isLive = false;

  /** What to ask for: what is new, or all up to a past moment. */
  wanted(now, until) {
    const known = { roll: this.#roll?.number ?? -1, states: this.states.length };
    if (until !== null) return { ...known, since: until - this.trail, until };
    return { ...known, since: (this.isLive && this.shown?.time) || now - this.trail };
  }

  /** Take an answer, to go on from the frames that are known if both are live. */
  take({ frames, rolls, states, courses, agents, begun, grounds, up }, isLive) {
    const known = new Map(Object.entries(rolls).map(([number, roll]) => [+number, rollOf(+number, roll)]));
    if (this.#roll && !known.has(this.#roll.number)) known.set(this.#roll.number, this.#roll);
    this.states.push(...states);
    const found = frames.map((frame) => decoded(frame, known.get(frame.roll)));
    const last = found.at(-1);
    if (last) this.#roll = last.roll;
    const goesOn = isLive && this.isLive && last && last.time >= (this.shown?.time ?? Infinity);
    const before = goesOn ? this.frames.filter(({ time }) => time < found[0].time) : [];
    this.frames = [...before, ...found].filter((each) => each === last || each.time > last.time - this.trail);
    this.isLive = isLive;
    Object.assign(this, { courses, agents: new Map(Object.entries(agents)), begun, grounds });
    this.#pointsUp = up;
  }

  takeTiles(tiles) {
    this.tiles = tiles && { ...tiles, costs: tiles.costs === null ? null : bytesOf(tiles.costs) };
  }

  /** True if the y axis points up, as the tiles say, or else the engine that is loaded. */
  get pointsUp() {
    return this.tiles ? this.tiles.height < 0 : this.#pointsUp;
  }

  /** True if the tiles have changed since they were loaded. */
  get areTilesOld() {
    return this.tiles !== null && this.grounds[this.tiles.number] !== this.tiles.version;
  }

  clear() {
    this.frames = [];
    this.states = [];
    this.courses = [];
    this.tiles = null;
    this.#roll = null;
    this.isLive = false;
  }

  /** The index of a machine, or of an agent, in the frame that is shown; undefined without. */
  indexOf(machine) {
    const { roll } = this.shown ?? {};
    return roll?.names === null ? this.agents.get(machine) : roll?.places.get(machine);
  }

  /** The name of a state by the number that a frame has; null for not running. */
  stateAt(number) {
    return number ? (this.states[number - 1] ?? null) : null;
  }
}

function rollOf(number, [count, names]) {
  return { number, count, names, places: new Map((names ?? []).map((name, index) => [name, index])) };
}

function decoded({ time, bits, origin, x, y, states }, roll) {
  const Floats = bits === 64 ? Float64Array : Float32Array;
  const numbers = (text) => new Floats(bytesOf(text).buffer);
  return { time, roll, origin, x: numbers(x), y: numbers(y), states: new Uint16Array(bytesOf(states).buffer) };
}

/** The bytes of a text in base64: `atob` alone gives letters. */
function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let index = 0; index < letters.length; index += 1) bytes[index] = letters.charCodeAt(index);
  return bytes;
}
