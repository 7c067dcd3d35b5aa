// How long threads live: the distribution, the survival curve, and each life.
import { get, streamPath } from "../lib/api.js";
import { decimal, duration, ms, percent, plural, whole } from "../lib/format.js";
import { keyed, useLoad, useSettled, useTitle } from "../lib/hooks.js";
import { html, useEffect, useState } from "../lib/html.js";
import { setQuery } from "../lib/route.js";
import { Fact, Facts, Panel, State, ThreadLink, Time } from "../parts/basic.js";
import { Histogram, LineChart } from "../parts/charts.js";
import { Empty, Loaded } from "../parts/states.js";

const PAGE = 25;

export function LifespansView({ stream, query, live }) {
  useTitle("Lifespans", stream);
  const [pages, setPages] = useState(1);
  const filters = { from: day(query.from), to: day(query.to), least_size: query.size || 1, search: query.search };
  const inputs = [stream, query.from, query.to, query.size, query.search];
  useEffect(() => setPages(1), inputs.slice(1));
  const lives = useLoad((signal) => load(stream, filters, pages, signal), keyed(inputs, pages, live.version));
  return html`<div class="lifespans">
    <header class="view-head"><h1>Lifespans</h1><p class="lead">How long threads live, those that are still alive counted as living on (Kaplan–Meier).</p></header>
    <${Filters} query=${query} />
    <${Loaded} of=${lives} what="Loading lifespans" rows=${8}>${({ summary, rows, more }) =>
      !summary.threads
        ? html`<${Empty} title="No thread passes these filters"><p><button type="button" onClick=${() => setQuery({ from: "", to: "", size: "", search: "" })}>Clear the filters</button></p><//>`
        : html`<${Summary} summary=${summary} />
          <div class="two">
            <${Panel} title="Survival" note="share of threads alive at an age"><${Curve} summary=${summary} /><//>
            <${Panel} title="Distribution" note="ages at death; pale: still alive"><${Bins} summary=${summary} /><//>
          </div>
          <${Panel} title="Lives" note="oldest first"><${Lives} stream=${stream} rows=${rows} />
            ${more && html`<p class="more"><button type="button" onClick=${() => setPages(pages + 1)}>Show more</button></p>`}<//>`}<//>
  </div>`;
}

function Filters({ query }) {
  const [typed, setTyped] = useState(query.search || "");
  const settled = useSettled(typed);
  useEffect(() => {
    if (settled.trim() !== (query.search || "")) setQuery({ search: settled.trim() });
  }, [settled]);
  useEffect(() => setTyped(query.search || ""), [query.search]);
  const input = (name, label, type, value) => html`<label class="inline-field"><span>${label}</span>
    <input type=${type} min=${type === "number" ? 1 : null} value=${value || ""} onChange=${(event) => setQuery({ [name]: event.target.value })} /></label>`;
  return html`<form class="filters" onSubmit=${(event) => event.preventDefault()}>
    <label class="inline-field"><span>Search</span><input type="search" maxlength="200" value=${typed} onInput=${(event) => setTyped(event.target.value)} /></label>
    ${input("from", "Alive from", "date", query.from)} ${input("to", "to", "date", query.to)} ${input("size", "Least size", "number", query.size)}
  </form>`;
}

function Summary({ summary }) {
  return html`<${Facts}>
    <${Fact} name="Threads">${whole(summary.threads)}<//>
    <${Fact} name="Died">${whole(summary.deaths)}<//>
    <${Fact} name="Half live longer than" hint="Median of the survival curve">${summary.median_seconds === null ? "more than half live" : duration(1000 * summary.median_seconds)}<//>
    <${Fact} name="Mean life" hint="Area under the curve, up to the longest life seen">${summary.mean_seconds === null ? "–" : duration(1000 * summary.mean_seconds)}<//>
  <//>`;
}

function Curve({ summary }) {
  if (!summary.curve.length) return html`<${Empty} title="Nothing has died yet"><p>The curve begins with the first death.</p><//>`;
  const points = [[0, 1], ...summary.curve.map((point) => [1000 * point.seconds, point.survival])];
  const label = `Survival: ${plural(summary.deaths, "death")} among ${plural(summary.threads, "thread")}`;
  return html`<${LineChart} points=${points} time=${false} step yMax=${1} format=${(value) => percent(value)} xFormat=${duration} label=${label} height=${230} />`;
}

function Bins({ summary }) {
  const bins = summary.distribution.map((bin) => ({ from: 1000 * bin.from_seconds, to: 1000 * bin.to_seconds, parts: [bin.deaths, bin.alive] }));
  return html`<${Histogram} bins=${bins} names=${["died", "still alive"]} format=${duration} label="Ages of threads on a log scale" height=${230} />`;
}

function Lives({ stream, rows }) {
  const first = Math.min(...rows.map((row) => ms(row.born_at)));
  const last = Math.max(...rows.map((row) => ms(row.born_at) + 1000 * row.duration_seconds));
  const place = (from, to) => ({ left: `${(100 * (from - first)) / (last - first || 1)}%`, width: `${Math.max(0.4, (100 * (to - from)) / (last - first || 1))}%` });
  return html`<ol class="lives">${rows.map((row) => {
    const born = ms(row.born_at);
    const model = row.expected_remaining.find((one) => one.method === "mean_residual_life") || row.expected_remaining[0];
    return html`<li key=${row.thread_id}>
      <span class="lives-name"><${ThreadLink} stream=${stream} id=${row.thread_id} label=${row.label} /></span>
      <span class="lives-track" aria-hidden="true"><span class="lives-life" style=${place(born, born + 1000 * row.duration_seconds)}></span>
        ${row.intervals.map((one) => html`<span class="lives-active" style=${place(ms(one.from), ms(one.to))}></span>`)}</span>
      <span class="lives-length">${duration(1000 * row.duration_seconds)}</span>
      <span class="lives-end">${row.died_at && !row.censored ? html`died <${Time} at=${row.died_at} />` : model ? `${duration(1000 * model.seconds)} more expected` : html`<${State} state="merged" />`}</span>
      <span class="lives-size number">${decimal(row.size).replace(".00", "").replace(".0", "")}</span>
    </li>`;
  })}</ol>`;
}

async function load(stream, filters, pages, signal) {
  const rows = [];
  let summary;
  let more = true;
  for (let cursor = null, page = 0; more && page < pages; page += 1) {
    const found = await get(streamPath(stream, "lifespans"), { ...filters, limit: PAGE, cursor }, signal);
    rows.push(...found.data);
    [summary, more, cursor] = [found.summary, found.has_more, found.next_cursor];
  }
  return { rows, more, summary };
}

/** Midnight of the reader's day. */
const day = (value) => (value && !Number.isNaN(Date.parse(value)) ? new Date(`${value}T00:00`).toISOString() : "");
