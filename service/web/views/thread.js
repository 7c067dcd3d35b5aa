// One thread: its life, its words over time, its relatives, its documents.
import { get, streamPath, threadsByIds } from "../lib/api.js";
import { decimal, duration, ms, percent, plural, whole } from "../lib/format.js";
import { keyed, useLoad, useTitle } from "../lib/hooks.js";
import { html, useState } from "../lib/html.js";
import { link, setQuery } from "../lib/route.js";
import { Choice, Fact, Facts, Panel, Share, State, ThreadLink, Time, Words } from "../parts/basic.js";
import { LineChart } from "../parts/charts.js";
import { Loaded } from "../parts/states.js";
import { WordGrid } from "../parts/wordgrid.js";

const PAGE = 30;
const EXCERPT = 240; // characters
const NEAR = 0.001; // probability from which a thread is called a neighbour

export function ThreadView({ stream, id, query, live }) {
  const thread = useLoad((signal) => get(streamPath(stream, "threads", id), {}, signal), keyed([stream, id], live.version));
  useTitle(thread.data?.label, stream);
  return html`<${Loaded} of=${thread} what="Loading the thread" rows=${8}>${(found) => html`<article class="thread-view">
    <header class="view-head">
      <p class="crumbs"><a href=${link(stream)}>Threads</a> <span aria-hidden="true">/</span> <code>${found.id}</code></p>
      <h1 dir="auto">${found.label || found.id}</h1>
      <p class="view-sub"><${State} state=${found.state} /><${Words} words=${found.top_words} most=${8} without=${found.label} /></p>
      ${found.merged_into && html`<p class="notice">It was merged into <a href=${link(stream, "threads", found.merged_into)}>another thread</a>, which has its documents now.</p>`}
    </header>
    <${Life} thread=${found} />
    ${found.size > 0 && html`<${History} stream=${stream} id=${id} live=${live} thread=${found} />`}
    <div class="two">
      <${Lineage} stream=${stream} thread=${found} />
      ${found.size > 0 && html`<${Neighbours} stream=${stream} id=${id} live=${live} />`}
    </div>
    ${found.size > 0 && html`<${Documents} stream=${stream} id=${id} live=${live} order=${query.order || "oldest"} size=${found.size} />`}
  </article>`}<//>`;
}

function Life({ thread }) {
  const remaining = Object.fromEntries(thread.expected_remaining.map((one) => [one.method, 1000 * one.seconds]));
  const end = ms(thread.died_at) || (thread.state === "live" || thread.state === "dormant" ? ms(thread.as_of) : ms(thread.last_at));
  return html`<${Facts}>
    <${Fact} name="Documents">${whole(thread.size)}<//>
    <${Fact} name="Strength" hint="Its documents, each counted less the older it is">${decimal(thread.strength)}<//>
    <${Fact} name="Born"><${Time} at=${thread.born_at} /><//>
    <${Fact} name="Last document"><${Time} at=${thread.last_at} /><//>
    ${thread.died_at ? html`<${Fact} name=${thread.state === "merged" ? "Merged" : "Died"}><${Time} at=${thread.died_at} /><//>` : null}
    <${Fact} name=${thread.died_at ? "Lived" : "Age"}>${duration(Math.max(0, end - ms(thread.born_at)))}<//>
    ${remaining.model !== undefined && html`<${Fact} name="Dies if nothing comes" hint="When its fading strength falls below the strength of death">in ${duration(remaining.model)}<//>`}
    ${remaining.mean_residual_life !== undefined && html`<${Fact} name="Expected to live on" hint="How much longer this stream's threads of that age lived on average">${duration(remaining.mean_residual_life)}<//>`}
  <//>`;
}

function History({ stream, id, live, thread }) {
  const history = useLoad((signal) => loadHistory(stream, id, thread, signal), keyed([stream, id], live.version));
  return html`<${Loaded} of=${history} what="Loading its history">${(found) => {
    const points = [[ms(found.data[0]?.from), 0], ...found.data.map((bucket) => [ms(bucket.to), bucket.strength])];
    const marks = found.data.filter((bucket) => bucket.documents).map((bucket) => (ms(bucket.from) + ms(bucket.to)) / 2);
    return html`<div class="two wide-left">
      <${Panel} title="Strength over time" note="ticks: when documents came">
        <${LineChart} points=${points} marks=${marks} format=${decimal} label=${`Strength from ${thread.born_at} to ${thread.last_at}, now ${decimal(thread.strength)}`} />
      <//>
      <${Panel} title="How its words moved" note="darker: more frequent in that span">
        <${WordGrid} buckets=${found.data} />
      <//>
    </div>`;
  }}<//>`;
}

/** Buckets from birth to death, or to the clock of the stream. */
async function loadHistory(stream, id, thread, signal) {
  const open = thread.state === "live" || thread.state === "dormant";
  const end = Math.max(ms(thread.last_at) + 1000, ms(thread.died_at) || (open ? ms(thread.as_of) : 0));
  const seconds = Math.max(1, Math.ceil((end - ms(thread.born_at)) / 1000 / 48));
  const span = { from: thread.born_at, to: new Date(end).toISOString(), bucket: `${seconds}s` };
  return get(streamPath(stream, "threads", id, "history"), span, signal);
}

function Lineage({ stream, thread }) {
  const ids = [...thread.parents, ...thread.children];
  const names = useLoad((signal) => threadsByIds(stream, ids, signal), [stream, ids.join()]);
  const list = (some) => some.map((id) => html`<li><${ThreadLink} stream=${stream} id=${id} label=${names.data?.get(id)?.label} /></li>`);
  return html`<${Panel} title="Lineage">
    ${!ids.length && html`<p class="muted">It was born by itself, and nothing has split off or merged.</p>`}
    ${thread.parents.length > 0 && html`<h3>Came from</h3><ul class="plain">${list(thread.parents)}</ul>`}
    ${thread.children.length > 0 && html`<h3>Went into</h3><ul class="plain">${list(thread.children)}</ul>`}
  <//>`;
}

function Neighbours({ stream, id, live }) {
  const near = useLoad((signal) => get(streamPath(stream, "threads", id, "neighbours"), {}, signal), keyed([stream, id], live.version));
  return html`<${Panel} title="Neighbours" note="threads it might merge with">
    <${Loaded} of=${near} what="Loading neighbours">${(found) => {
      const close = found.data.filter((one) => one.probability >= NEAR);
      return !close.length
        ? html`<p class="muted">No other thread comes near.</p>`
        : html`<ul class="plain bars">${close.slice(0, 6).map(
            (one) => html`<li title=${`Among the best three for ${one.documents} of ${found.documents} documents`}>
              <span><${ThreadLink} stream=${stream} id=${one.thread_id} label=${one.label} /><${Words} words=${one.shared_words} most=${4} /></span>
              <${Share} value=${one.probability} tone="pale" /></li>`,
          )}</ul>`;
    }}<//>
  <//>`;
}

function Documents({ stream, id, live, order, size }) {
  const [pages, setPages] = useState(1);
  const documents = useLoad((signal) => loadDocuments(stream, id, order, pages, signal), keyed([stream, id, order], pages, live.version));
  const choice = html`<${Choice} label="Order" value=${order} options=${[["oldest", "Oldest first"], ["newest", "Newest first"]]}
    onChange=${(value) => setQuery({ order: value === "oldest" ? "" : value })} />`;
  return html`<${Panel} title="Documents" note=${plural(size, "document")} actions=${choice}>
    <${Loaded} of=${documents} what="Loading documents">${(found) => html`<ol class="documents">
        ${found.rows.map((row) => html`<${DocumentRow} key=${row.id} stream=${stream} row=${row} />`)}
      </ol>
      ${!found.rows.length && html`<p class="muted">It has no documents of its own any more.</p>`}
      ${found.more && html`<p class="more"><button type="button" onClick=${() => setPages(pages + 1)}>Show more</button></p>`}`}<//>
  <//>`;
}

function DocumentRow({ stream, row }) {
  const chance = row.assignment?.probability;
  const text = row.text || (row.vector ? `[${row.vector.slice(0, 4).join(", ")}…]` : "");
  const excerpt = text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
  return html`<li class="document-row">
    <div class="document-when"><${Time} at=${row.time} />${row.author && html`<bdi class="muted">${row.author}</bdi>`}</div>
    <div class="document-what">
      <a class=${row.title ? "titled" : ""} href=${link(stream, "documents", row.id)} dir="auto">${row.title || excerpt || row.id}</a>
      ${row.title && html`<p dir="auto">${excerpt}</p>`}
    </div>
    <div class="document-chance" title=${row.assignment?.provisional ? "Still resampled" : "Settled: it stays here"}>${chance === null || chance === undefined ? "" : html`<${Share} value=${chance} />`}
      <span class="visually-hidden">${chance ? `probability ${percent(chance)}` : ""}</span></div>
  </li>`;
}

async function loadDocuments(stream, id, order, pages, signal) {
  const rows = [];
  let more = true;
  for (let cursor = null, page = 0; more && page < pages; page += 1) {
    const found = await get(streamPath(stream, "threads", id, "documents"), { order, limit: PAGE, cursor }, signal);
    rows.push(...found.data);
    [more, cursor] = [found.has_more, found.next_cursor];
  }
  return { rows, more };
}
