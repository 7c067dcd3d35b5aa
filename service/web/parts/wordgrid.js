// Words of a thread against time: which led when.
import { exact } from "../lib/format.js";
import { html } from "../lib/html.js";

const WORDS = 8;
const COLUMNS = 16;
const RANKS = 6; // how deep in a span's list a word still shows

export function WordGrid({ buckets }) {
  const spans = gathered(buckets.filter((bucket) => bucket.documents));
  const words = leading(spans);
  if (!words.length) return html`<p class="muted">Its documents have no words.</p>`;
  return html`<div class="word-grid-wrap"><table class="word-grid">
    <caption class="visually-hidden">Rank of the most frequent words in each span of time</caption>
    <tbody>${words.map(
      (word) => html`<tr><th scope="row"><bdi>${word}</bdi></th>${spans.map((span) => {
        const rank = span.words.indexOf(word);
        const shade = rank < 0 ? 0 : Math.max(0.12, 1 - rank / RANKS);
        return html`<td title=${`${word}: ${rank < 0 ? "absent" : `rank ${rank + 1}`} in ${exact(span.from)} – ${exact(span.to)}`}>
          <span class="tile" style=${{ opacity: shade }}></span><span class="visually-hidden">${rank < 0 ? "–" : rank + 1}</span></td>`;
      })}</tr>`,
    )}</tbody></table></div>`;
}

/** At most so many spans; neighbours are put together, their words interleaved by rank. */
function gathered(buckets) {
  const size = Math.ceil(buckets.length / COLUMNS);
  const spans = [];
  for (let start = 0; start < buckets.length; start += size) {
    const some = buckets.slice(start, start + size);
    const score = new Map();
    some.forEach((bucket) => bucket.top_words.forEach((word, rank) => score.set(word, (score.get(word) || 0) + 1 / (rank + 1))));
    const words = [...score].sort((a, b) => b[1] - a[1]).map(([word]) => word);
    spans.push({ from: some[0].from, to: some.at(-1).to, words });
  }
  return spans;
}

/** The words that led most, in the order in which they first did. */
function leading(spans) {
  const score = new Map();
  const first = new Map();
  spans.forEach((span, at) =>
    span.words.slice(0, RANKS).forEach((word, rank) => {
      score.set(word, (score.get(word) || 0) + 1 / (rank + 1));
      if (!first.has(word)) first.set(word, at + rank / 100);
    }),
  );
  const best = [...score].sort((a, b) => b[1] - a[1]).slice(0, WORDS);
  return best.map(([word]) => word).sort((a, b) => first.get(a) - first.get(b));
}
