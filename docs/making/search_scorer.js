// The order of what the search of the site finds. Pages come before the reference, and that before
// the history of the project. Sphinx puts this at the beginning of its searchtools.js.

const WEIGHTS = [
  [/^reference\//, 0.1],
  [/^(decisions\/|changelog|contributing)/, 0.01],
  [/^upgrading/, 0.1],
];

let searchedWords = [];

document.addEventListener("DOMContentLoaded", () => {
  const parse = Search._parseQuery;
  Search._parseQuery = (query) => {
    const parsed = parse(query);
    searchedWords = [...parsed[1]];
    return parsed;
  };
});

// Sphinx takes the best of the words, so that "guard condition" would lead to all that is titled "Guard".
function meanOfWords(docname) {
  const { docnames, terms, titleterms } = Search._index;
  const page = docnames.indexOf(docname);
  const has = (words, word) => Object.hasOwn(words, word) && [words[word]].flat().includes(page);
  const scores = searchedWords.map((word) =>
    has(titleterms, word) ? Scorer.title : has(terms, word) ? Scorer.term : Scorer.partialTerm,
  );
  return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
}

var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    const isExactName = kind === "object" && score >= Scorer.objNameMatch + Scorer.objPrio[1];
    if (isExactName) return 12; // below what has it as a title, above what mentions it
    const [, weight] = WEIGHTS.find(([pages]) => pages.test(docname)) ?? [null, 1];
    return (kind === "text" ? meanOfWords(docname) : score) * weight;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
