// Nothing yet, not now, went wrong: each says what to do next.
import { html } from "../lib/html.js";

const ADVICE = {
  unreachable: "Is `threadline serve` running? This page tries again by itself.",
  not_found: "It may have been deleted, or the address has a typing error.",
  forbidden: "Use a key with the scope read.",
  rate_limited: "This page tries again by itself in a moment.",
  draining: "The service is restarting; this page tries again by itself.",
  worker: "The worker may still be starting; the first start takes about half a minute.",
};

export function Loading({ what = "Loading", rows = 4 }) {
  return html`<div class="loading" role="status">
    <span class="visually-hidden">${what}…</span>
    ${Array.from({ length: rows }, (_, row) => html`<span class="skeleton" style=${{ width: `${92 - 13 * (row % 4)}%` }}></span>`)}
  </div>`;
}

export function Empty({ title, children }) {
  return html`<div class="empty"><p class="empty-title">${title}</p>${children && html`<div class="empty-more">${children}</div>`}</div>`;
}

export function Failure({ error, retry }) {
  const advice = ADVICE[error.code] || (error.status >= 500 ? "The service's log has the details." : "");
  return html`<div class="failure" role="alert">
    <p class="failure-title">${error.title || "That did not work"}</p>
    ${error.status !== 404 && html`<p>${error.message}</p>`}
    ${error.errors?.length > 0 && html`<ul>${error.errors.map((one) => html`<li>${one.pointer.replace(/^#\//, "")}: ${one.detail}</li>`)}</ul>`}
    ${advice && html`<p class="muted">${advice}</p>`}
    ${retry && html`<button type="button" onClick=${retry}>Try again</button>`}
  </div>`;
}

/** What a load gave, or where it stands. */
export function Loaded({ of, what, rows, children }) {
  if (of.data) return children(of.data);
  if (of.error) return html`<${Failure} error=${of.error} retry=${of.reload} />`;
  return html`<${Loading} what=${what} rows=${rows} />`;
}
