// Births, deaths, merges and splits, newest first, as they happen.
import { threadsByIds } from "../lib/api.js";
import { DAY, ms, whole } from "../lib/format.js";
import { html, useEffect, useState } from "../lib/html.js";
import { ThreadLink, Time } from "./basic.js";
import { Loading } from "./states.js";

const SHOWN = 40;
const SAYS = {
  "thread.born": ["born", "Born"],
  "thread.died": ["died", "Died"],
  "thread.merged": ["merged", "Merged"],
  "thread.split": ["split", "Split off"],
  "thread.revived": ["revived", "Revived"],
  "thread.dormant": ["dormant", "Dormant"],
};

export function Feed({ stream, live }) {
  const day = lastDay(live);
  const shown = (day.length ? day : live.events || []).slice(0, SHOWN);
  const labels = useLabels(stream, shown);
  const counted = (...types) => day.filter((event) => types.includes(event.type)).length;
  return html`<aside class="feed" aria-label="Latest events">
    <header><h2>Births and deaths</h2>
      <p class="note"><strong>${whole(counted("thread.born", "thread.split"))}</strong> born, <strong>${whole(counted("thread.died"))}</strong> died in the stream's last day</p>
    </header>
    ${live.events === null ? html`<${Loading} what="Loading events" rows=${6} />` : !shown.length ? html`<p class="muted">Nothing has happened yet.</p>` : null}
    <ol aria-live="polite" aria-relevant="additions">
      ${shown.map((event) => html`<${Item} key=${event.seq} stream=${stream} event=${event} labels=${labels} />`)}
    </ol>
  </aside>`;
}

function Item({ stream, event, labels }) {
  const [kind, word] = SAYS[event.type] || ["", event.type];
  const other = event.other_thread_id;
  return html`<li class=${`event event-${kind}`} data-seq=${event.seq}>
    <span class="event-mark" aria-hidden="true"></span>
    <div><span class="event-word">${word}</span> <${ThreadLink} stream=${stream} id=${event.thread_id} label=${labels.get(event.thread_id)?.label} />
      ${other && html`<span class="event-other">${kind === "split" ? "from" : "into"} <${ThreadLink} stream=${stream} id=${other} label=${labels.get(other)?.label} /></span>`}
      <span class="event-time"><${Time} at=${event.occurred_at} relative /></span></div>
  </li>`;
}

/** Events of the stream's last day of event time. */
function lastDay({ events, stats }) {
  const since = (stats?.clock ? ms(stats.clock) : Date.now()) - DAY;
  return (events || []).filter((event) => ms(event.occurred_at) >= since);
}

/** The threads that events name, asked for once each. */
function useLabels(stream, events) {
  const [labels, setLabels] = useState(new Map());
  const missing = [...new Set(events.flatMap((event) => [event.thread_id, event.other_thread_id]))].filter((id) => id && !labels.has(id));
  useEffect(() => {
    if (!missing.length) return undefined;
    const control = new AbortController();
    threadsByIds(stream, missing, control.signal).then(
      (found) => setLabels((old) => new Map([...old, ...found])),
      () => {}, // the ids show instead
    );
    return () => control.abort();
  }, [stream, missing.join()]);
  return labels;
}
