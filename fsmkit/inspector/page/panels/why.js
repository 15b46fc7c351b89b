/** Why an agent does what it does: its goals, its plan, what it leaves out, and what it knows. */

import { byId, element, matchChildren, setAttribute, setLongText, setText } from "../parts/elements.js";
import { counted, seconds } from "../parts/wording.js";

const OLD = 1; // seconds from which on a reading is said to be of another moment
const SIGNS = { done: "✓", now: "▸", next: "" };

export class Why {
  constructor(store) {
    this.store = store;
    store.watch("detail hello", () => this.#draw(store.shown));
  }

  #draw(detail) {
    const agents = detail?.why ?? [];
    matchChildren(byId("why"), agents, ({ machine }) => machine, makeSection, (section, agent) => {
      const isSelected = agent.machine === detail.machine;
      setLongText(section.heading, isSelected ? "Why" : `Why, of ${agent.machine}`);
      showText(section.doing, agent.error ?? agent.doing ?? "");
      section.doing.classList.toggle("error", "error" in agent);
      showText(section.note, agent.read === null ? this.#unread() : ageOf(agent.read, detail.time));
      const lists = agent.goals ? listsOf(agent, detail.time) : [];
      matchChildren(section.lists, lists, ({ name }) => name, makeList, updateList);
    });
  }

  #unread() {
    if (this.store.isPast) return "Not known: in a replay, sensors and priorities are not asked.";
    return this.store.moment ? "Not known: nobody looked at it then." : "It is asked after an update.";
  }
}

function ageOf(read, time) {
  const age = time - read;
  return Math.abs(age) < OLD ? "" : `As it was ${seconds(Math.abs(age), 1)} ${age > 0 ? "before" : "later"}.`;
}

/** The lists of a section that have something in them. */
function listsOf(agent, time) {
  const { goals, plan, left_out: leftOut, failure, facts } = agent;
  const lists = [
    { name: "goals", title: "Goals", rows: goals.map((goal) => goalRow(goal, time)), more: agent.more_goals },
    { name: "plan", title: planTitle(agent), rows: plan.map(stepRow), more: 0 },
    { name: "left-out", title: "Left out of plans", rows: leftOut.map((each) => leftOutRow(each, time)), more: agent.more_left_out },
    { name: "failure", title: "Last failure", rows: failure ? [failureRow(failure, time)] : [], more: 0 },
    { name: "facts", title: "Facts", rows: facts.map(factRow), more: agent.more_facts },
  ];
  return lists.filter(({ rows }) => rows.length);
}

function goalRow({ name, priority, standing, reason, until, fallback_of: origin }, time) {
  const putOff = until === null ? "" : `put off ${forAnother(until - time)}`;
  return {
    name, standing,
    mark: standing,
    beside: origin === null ? `priority ${priority}` : `fallback of ${origin}`,
    below: [reason, putOff].filter(Boolean).join("; "),
    isInner: origin !== null,
  };
}

function planTitle({ goal, plan, steps }) {
  const isWhole = plan.length === steps;
  const which = isWhole ? "Plan" : `Plan (${plan[0].index + 1} to ${plan.at(-1).index + 1} of ${steps})`;
  return goal === null ? which : `${which} for ${goal}`;
}

const stepRow = ({ index, name, standing }) => ({
  name, standing,
  sign: SIGNS[standing] || String(index + 1),
});

function leftOutRow({ name, reason, failures, until }, time) {
  const often = failures > 1 ? `${failures} times in a row` : "";
  const left = until === null ? "for ever" : forAnother(until - time);
  return { name, mark: left, below: [reason, often].filter(Boolean).join(", ") };
}

const failureRow = ({ name, reason, time }, now) => ({
  name: name ?? "The plan",
  mark: `${seconds(Math.max(0, now - time), 1)} ago`,
  below: reason,
});

const factRow = ({ name, text, error, sensed }) => ({
  name,
  standing: error ? "unknown" : "",
  beside: sensed ? "sensed" : "",
  mark: text,
  below: error,
});

const forAnother = (left) => `for another ${seconds(Math.max(0, left), 1)}`;

// Elements

function makeSection() {
  const section = element("section", { class: "why" });
  section.heading = element("h2");
  section.doing = element("p", { class: "doing" });
  section.note = element("p", { class: "soft" });
  section.lists = element("div");
  section.append(section.heading, section.doing, section.note, section.lists);
  return section;
}

function makeList({ name }) {
  const list = element("div", { data: { why: name } });
  list.heading = element("h3");
  list.rows = element("ul");
  list.rest = element("p", { class: "soft" });
  list.append(list.heading, list.rows, list.rest);
  return list;
}

function updateList(list, { title, rows, more }) {
  setLongText(list.heading, title);
  matchChildren(list.rows, rows, ({ name }) => name, makeRow, updateRow);
  showText(list.rest, more ? `and ${counted(more, "other")}` : "");
}

function makeRow({ name }) {
  const row = element("li", { data: { name } });
  row.sign = element("i");
  row.name = element("b");
  row.beside = element("span", { class: "soft" });
  row.mark = element("span", { class: "mark-of-why" });
  row.below = element("p", { class: "soft" });
  row.append(element("p", {}, row.sign, row.name, row.beside, row.mark), row.below);
  return row;
}

function updateRow(row, { name, standing = "", sign = "", beside = "", mark = "", below = "", isInner = false }) {
  setAttribute(row, "data-standing", standing || null);
  setAttribute(row, "data-inner", isInner);
  setLongText(row.name, name);
  showText(row.sign, sign);
  showText(row.beside, beside);
  showText(row.mark, mark);
  showText(row.below, below);
}

function showText(target, text) {
  target.hidden = !text;
  setLongText(target, text);
}
