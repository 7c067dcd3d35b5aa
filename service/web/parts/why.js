// Why a document is where it is: what spoke for its thread, beside what spoke for another, as bars.
import { d3, html, useState } from "../lib/html.js";
import { Choice, Panel } from "./basic.js";

export function Why({ why, threads }) {
  const [own, ...others] = why.candidates;
  const [against, setAgainst] = useState(() => Math.max(0, others.findIndex((one) => one.thread_id)));
  if (!own) return null;
  const name = (candidate) => (candidate.thread_id ? threads.get(candidate.thread_id)?.label || candidate.thread_id : "a new thread");
  const other = others[against];
  const rows = compared(own, other);
  const reach = d3.max(rows, (row) => Math.max(Math.abs(row.own), Math.abs(row.other ?? 0))) || 1;
  return html`<${Panel} title="Why" note="what spoke for it, in nats against a new thread">
    ${others.length > 1 && html`<${Choice} label="Against" value=${against} options=${others.map((one, at) => [at, `Against ${name(one).slice(0, 28)}`])} onChange=${setAgainst} />`}
    <p class="legend"><span class="swatch own"></span><bdi>${name(own)}</bdi>${other && html`<span class="swatch other"></span><bdi>${name(other)}</bdi>`}</p>
    <table class="why"><caption class="visually-hidden">What spoke for the thread and for the next best, in nats</caption>
      <thead class="visually-hidden"><tr><th>Reason</th><th>${name(own)}</th>${other && html`<th>${name(other)}</th>`}</tr></thead>
      <tbody>${rows.map(
        (row) => html`<tr class=${row.ours ? "why-ours" : ""}>
          <th scope="row"><bdi>${row.name}</bdi></th>
          <td><${Bar} value=${row.own} reach=${reach} tone="own" />${other && html`<${Bar} value=${row.other} reach=${reach} tone="other" />`}</td>
        </tr>`,
      )}
      <tr class="why-total"><th scope="row">Together</th><td><span class="number">${signed(own.score)}</span>${other && html` <span class="number muted">${signed(other.score)}</span>`}</td></tr></tbody>
    </table>
  <//>`;
}

/** Reasons in one list: time, length, words by how much they said; null where the other thread's list is silent. */
function compared(own, other) {
  const says = (candidate, word) => candidate?.words.find((one) => one.word === word)?.nats ?? null;
  const words = new Set([...own.words, ...(other?.words || [])].map((one) => one.word));
  const rows = [...words].map((word) => ({ name: word, own: says(own, word) ?? 0, other: says(other, word) }));
  rows.sort((a, b) => Math.abs(b.own - (b.other ?? 0)) - Math.abs(a.own - (a.other ?? 0)));
  return [
    { name: "size and time", own: own.size_and_time, other: other?.size_and_time, ours: true },
    ...rows.slice(0, 9),
    { name: "other words", own: own.other_words, other: other?.other_words, ours: true },
    { name: "length", own: own.length, other: other?.length, ours: true },
  ];
}

function Bar({ value, reach, tone }) {
  if (value === null || value === undefined) return html`<span class="why-bar"></span>`;
  const width = `${(50 * Math.abs(value)) / reach}%`;
  return html`<span class="why-bar" title=${`${signed(value)} nats`}>
    <span class=${`why-fill ${tone}`} style=${value < 0 ? { width, right: "50%" } : { width, left: "50%" }}></span>
    <span class="visually-hidden">${signed(value)}</span></span>`;
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
