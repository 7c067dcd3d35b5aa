// Small pieces that every view uses.
import { ago, exact, local, percent, whole } from "../lib/format.js";
import { html } from "../lib/html.js";
import { link } from "../lib/route.js";

/** A moment in the reader's zone; hovering shows the exact UTC. */
export function Time({ at, long, relative }) {
  if (!at) return html`<span class="muted">–</span>`;
  return html`<time datetime=${at} title=${exact(at)}>${relative ? ago(at) : local(at, { long })}</time>`;
}

/** The state of a thread or document, as a word with a mark. */
export function State({ state }) {
  return html`<span class=${`state state-${state}`}>${state}</span>`;
}

/** A thread by its label; its id where it has none. */
export function ThreadLink({ stream, id, label, class: name = "" }) {
  if (!id) return html`<span class="muted">a new thread</span>`;
  return html`<a class=${`thread-link ${name}`} href=${link(stream, "threads", id)} dir="auto">${label || id}</a>`;
}

/** Words that are the reader's data, set apart from ours; without those that a label shows already. */
export function Words({ words, most = 6, without = "" }) {
  const named = new Set(without.toLowerCase().split(/\s+/));
  const shown = words.filter((word) => !named.has(word));
  return html`<span class="words">${shown.slice(0, most).map((word) => html`<bdi class="word">${word}</bdi>`)}</span>`;
}

/** A probability as a bar and a number. */
export function Share({ value, tone = "" }) {
  return html`<span class="share">
    <span class="share-track" aria-hidden="true"><span class=${`share-fill ${tone}`} style=${{ width: `${Math.max(1, 100 * value)}%` }}></span></span>
    <span class="share-value">${percent(value)}</span>
  </span>`;
}

/** A named number. */
export function Fact({ name, children, hint }) {
  return html`<div class="fact" title=${hint || null}><dt>${name}</dt><dd>${children}</dd></div>`;
}

export function Facts({ children }) {
  return html`<dl class="facts">${children}</dl>`;
}

/** A titled part of a view. */
export function Panel({ title, note, actions, children, class: name = "" }) {
  return html`<section class=${`panel ${name}`}>
    <header class="panel-head">
      <h2>${title}</h2>
      ${note && html`<p class="note">${note}</p>`}
      ${actions && html`<div class="actions">${actions}</div>`}
    </header>
    ${children}
  </section>`;
}

export function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;
}

/** One of several choices, as buttons in a row. */
export function Choice({ label, value, options, onChange }) {
  return html`<div class="choice" role="group" aria-label=${label}>
    ${options.map(
      ([key, name]) =>
        html`<button type="button" aria-pressed=${String(key === value)} onClick=${() => onChange(key)}>${name}</button>`,
    )}
  </div>`;
}

/** A table cell's number. */
export const Count = ({ value }) => html`<span class="number">${whole(value)}</span>`;

const ICONS = {
  search: "M9 3a6 6 0 1 0 3.7 10.7l3.8 3.8 1-1-3.8-3.8A6 6 0 0 0 9 3Zm0 1.5a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9Z",
  sun: "M10 6a4 4 0 1 0 0 8 4 4 0 0 0 0-8ZM9.250 1.500h1.500v2.500h-1.500ZM9.250 16h1.500v2.500h-1.500ZM1.500 9.250h2.500v1.500H1.500ZM16 9.250h2.500v1.500H16ZM3.500 4.600l1.100-1.100 1.700 1.800-1 1ZM13.700 14.700l1-1 1.800 1.700-1.100 1.100ZM3.500 15.400l1.800-1.700 1 1-1.700 1.800ZM13.700 5.300l1.700-1.800 1.100 1.100-1.800 1.700Z",
  moon: "M16.500 12.700A7 7 0 0 1 7.300 3.500a7 7 0 1 0 9.200 9.200Z",
  system: "M3 4h14v9.500H3ZM4.500 5.500V12h11V5.500ZM7 15h6v1.500H7Z",
};
