// How Sphinx's search orders what it found: as it does by itself, but lessons before all else.
var Scorer = {
  score: function (result) {
    var page = result[0], score = result[4];
    return page.indexOf("lessons/") === 0 ? score + 5 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
