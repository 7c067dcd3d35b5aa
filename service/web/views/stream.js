// The stream itself: is it well, what it learned, how it is set.
import { get, post, request, streamPath } from "../lib/api.js";
import { decimal, duration, isoDuration, ms, plural, whole } from "../lib/format.js";
import { keyed, useLoad, useTitle } from "../lib/hooks.js";
import { html, useState } from "../lib/html.js";
import { link } from "../lib/route.js";
import { Fact, Facts, Panel, Time } from "../parts/basic.js";
import { LineChart } from "../parts/charts.js";
import { Empty, Failure, Loaded, Loading } from "../parts/states.js";

const LAGGING = 30; // seconds
const SETTINGS = [
  ["model", "Model", "tdpm: pull fades with time; rcrp: epochs; crp: no time"],
  ["kind", "Documents are", "words or vectors"],
  ["half_life", "Half-life", "time in which a document's pull halves"],
  ["alpha", "α", "weight of a new thread, in documents"],
  ["strength", "Word strength", "strength of the words' base measure, in words"],
  ["window", "Window", "recent event time whose documents are still resampled"],
  ["lateness", "Lateness", "documents further behind the newest are late"],
  ["max_future_skew", "Future skew", "how far ahead a time may lie"],
  ["epoch", "Epoch", "rcrp: length of an epoch"],
  ["width", "Width", "rcrp: epochs after which an unused thread is dead"],
  ["dimensions", "Dimensions", "length of the vectors"],
  ["noise", "Noise", "vectors: variance within a thread"],
  ["spread", "Spread", "vectors: variance of the threads' centres"],
  ["seed", "Seed", "same documents, settings and seed: same threads"],
];
const ONLY = { epoch: "rcrp", width: "rcrp", half_life: "tdpm" };
const VECTORS = ["dimensions", "noise", "spread"];
const LEARNED = { half_life: "half_life_seconds", alpha: "alpha", strength: "strength" };
const LIFE = ["half_life", "window", "lateness", "max_future_skew", "epoch"];

export function StreamView({ stream, live }) {
  useTitle("Stream", stream);
  const row = useLoad((signal) => get(streamPath(stream), {}, signal), [stream]);
  const learned = useLoad((signal) => get(streamPath(stream, "learned"), {}, signal), keyed([stream], live.version));
  return html`<div class="stream-view">
    <header class="view-head"><h1>${stream}</h1>${row.data && html`<p class="lead"><code>${row.data.id}</code>, since <${Time} at=${row.data.created_at} long /></p>`}</header>
    <${Health} stream=${stream} live=${live} />
    <${Panel} title="What the model learned" note="over event time">
      <${Loaded} of=${learned} what="Loading what was learned">${(found) => html`<${Charts} points=${found.data} />`}<//>
    <//>
    <div class="two">
      <${Panel} title="Settings"><${Loaded} of=${row} what="Loading settings">${(found) => html`<${Settings} settings=${found.settings} stats=${live.stats} />`}<//><//>
      <${Quarantine} stream=${stream} live=${live} />
    </div>
  </div>`;
}

function Health({ stream, live }) {
  const ready = useLoad(async (signal) => (await request("readyz", { signal }).catch(refused)).status, keyed([stream], live.version, live.state));
  const stats = live.stats;
  if (!stats) return live.error ? html`<${Failure} error=${live.error} />` : html`<${Loading} what="Loading statistics" rows=${2} />`;
  const [tone, says] = verdict(stats, ready.data, live.error);
  return html`<p class=${`verdict verdict-${tone}`} role="status"><span class="line-dot" aria-hidden="true"></span>${says}</p>
    <${Facts}>
      <${Fact} name="Lag" hint="Age of the oldest document that waits">${stats.pending ? duration(1000 * stats.lag_seconds) : "none"}<//>
      <${Fact} name="Waiting">${whole(stats.pending)}<//>
      <${Fact} name="Accepted">${whole(stats.accepted)}<//>
      <${Fact} name="Last arrival"><${Time} at=${stats.last_arrival_at} relative /><//>
      <${Fact} name="Clock" hint="Event time of the stream"><${Time} at=${stats.clock} /><//>
      <${Fact} name="In the window" hint="Documents that are still resampled">${whole(stats.window.documents)}<//>
      <${Fact} name="Live threads">${whole(stats.threads_live)}<//>
      <${Fact} name="Vocabulary">${whole(stats.vocabulary)}<//>
      <${Fact} name="Late">${whole(stats.late)}<//>
      <${Fact} name="Quarantined">${whole(stats.quarantined)}<//>
      <${Fact} name="Last sweep took">${stats.sweep_seconds === null ? "–" : `${Math.round(1000 * stats.sweep_seconds)} ms`}<//>
      <${Fact} name="Model version">${whole(stats.model_version)}<//>
    <//>`;
}

const refused = (error) => ({ status: error.status });

/** How the stream is, in one sentence. */
function verdict(stats, ready, error) {
  if (error && !error.status) return ["bad", "The service does not answer; these are the last figures it gave."];
  if (ready === 503) return ["bad", "The service says that it is not ready: see /readyz for the reasons."];
  if (!stats.lease.held && stats.pending) return ["bad", "No worker holds this stream, so its documents wait. Is a worker running?"];
  if (stats.pending && stats.lag_seconds > LAGGING) return ["slow", `The worker is behind by ${duration(1000 * stats.lag_seconds)}.`];
  if (stats.quarantined) return ["slow", `${plural(stats.quarantined, "document")} could not be taken; all else is well.`];
  if (!stats.accepted) return ["good", "Ready. Nothing has arrived yet."];
  return ["good", "All is well: every document is in a thread or about to be."];
}

function Charts({ points }) {
  const longest = Math.max(...points.map((point) => point.half_life_seconds || 0));
  const [unit, name] = longest > 2 * 86400 ? [86400, "d"] : longest > 2 * 3600 ? [3600, "h"] : [60, "min"];
  const series = [
    ["half_life_seconds", "Half-life", (value) => `${+value.toFixed(1)} ${name}`, unit],
    ["alpha", "α, the weight of a new thread", (value) => String(+value.toFixed(2)), 1],
    ["threads_live", "Live threads", whole, 1],
  ];
  if (points.length < 2) return html`<${Empty} title="Too early to tell"><p>A point is added with every hour of event time that documents bring.</p><//>`;
  return html`<div class="three">${series.map(([field, title, format, scale]) => {
    const some = points.filter((point) => point[field] !== null).map((point) => [ms(point.at), point[field] / scale]);
    return html`<figure><figcaption>${title}</figcaption>
      ${some.length < 2 ? html`<p class="muted">This model has none.</p>` : html`<${LineChart} points=${some} format=${format} height=${170} step label=${`${title}: now ${format(some.at(-1)[1])}`} />`}</figure>`;
  })}</div>`;
}

function Settings({ settings, stats }) {
  const rows = SETTINGS.filter(([name]) => (!ONLY[name] || ONLY[name] === settings.model) && (settings.kind === "vectors" || !VECTORS.includes(name)) && !(settings.kind === "vectors" && name === "strength"));
  return html`<table class="settings"><tbody>${rows.map(
    ([name, label, hint]) => html`<tr title=${hint}><th scope="row">${label}</th><td>${setting(name, settings[name], stats)}</td></tr>`,
  )}</tbody></table>
  <p class="note">Change them with <code>PATCH /v1/streams/…</code>; what is learned may be fixed there too.</p>`;
}

function setting(name, value, stats) {
  if (value !== null && value !== undefined) return LIFE.includes(name) ? duration(1000 * isoDuration(value)) : String(value);
  if (!(name in LEARNED)) return html`<span class="muted">${{ lateness: "as the window", max_future_skew: "as the service" }[name] || "–"}</span>`;
  const now = stats?.[LEARNED[name]];
  if (now === null || now === undefined) return html`<span class="muted">learned</span>`;
  return html`${LIFE.includes(name) ? duration(1000 * now) : decimal(now)} <span class="chip">learned</span>`;
}

function Quarantine({ stream, live }) {
  const found = useLoad((signal) => get(streamPath(stream, "documents"), { state: "quarantined", limit: 20, order: "newest" }, signal), keyed([stream], live.version));
  const [error, setError] = useState(null);
  const retry = (id) => post(streamPath(stream, "documents", id, "retry"), "").then(found.reload, setError);
  return html`<${Panel} title="Quarantine" note="documents that the model could not take">
    ${error && html`<${Failure} error=${error} />`}
    <${Loaded} of=${found} what="Loading quarantined documents">${({ data }) =>
      !data.length
        ? html`<p class="muted">None.</p>`
        : html`<ul class="plain">${data.map(
            (row) => html`<li class="quarantined"><a href=${link(stream, "documents", row.id)} dir="auto">${row.title || row.id}</a><span class="muted">${row.error}</span>
              <button type="button" onClick=${() => retry(row.id)}>Try again</button></li>`,
          )}</ul>`}<//>
  <//>`;
}
