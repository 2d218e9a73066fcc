"""From what runs reported to verdicts and groups of mistakes; no learner's code runs here."""
