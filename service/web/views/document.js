// One document: its text, its thread, and why it is there.
import { get, streamPath, threadsByIds } from "../lib/api.js";
import { keyed, useLoad, useTitle } from "../lib/hooks.js";
import { html } from "../lib/html.js";
import { link } from "../lib/route.js";
import { Fact, Facts, Panel, Share, State, ThreadLink, Time } from "../parts/basic.js";
import { Empty, Loaded } from "../parts/states.js";
import { Why } from "../parts/why.js";

export function DocumentView({ stream, id, live }) {
  const found = useLoad((signal) => load(stream, id, signal), keyed([stream, id], live.version));
  useTitle(found.data?.document.title || id, stream);
  return html`<${Loaded} of=${found} what="Loading the document" rows=${8}>${({ document, assignment, why, threads }) => html`<article class="document-view">
    <header class="view-head">
      <p class="crumbs"><a href=${link(stream)}>Threads</a> <span aria-hidden="true">/</span>
        ${assignment?.thread_id && html` <${ThreadLink} stream=${stream} id=${assignment.thread_id} label=${threads.get(assignment.thread_id)?.label} /> <span aria-hidden="true">/</span>`} <code>${document.id}</code></p>
      <h1 dir="auto">${document.title || document.id}</h1>
    </header>
    <${Facts}>
      <${Fact} name="Time"><${Time} at=${document.time} long /><//>
      <${Fact} name="Arrived"><${Time} at=${document.arrived_at} long /><//>
      ${document.author && html`<${Fact} name="Author"><bdi>${document.author}</bdi><//>`}
      <${Fact} name="State"><${State} state=${document.state} /><//>
    <//>
    ${document.state === "quarantined" && html`<p class="notice">The model could not take it: ${document.error}</p>`}
    <div class="two wide-left">
      <${Panel} title="Text">
        <div class="text" dir="auto">${document.text ?? JSON.stringify(document.vector)}</div>
        ${document.metadata && html`<h3>Metadata</h3><pre class="code" tabindex="0">${JSON.stringify(document.metadata, null, 2)}</pre>`}
      <//>
      <div class="stack">
        <${Panel} title="Its thread">${
          !assignment
            ? html`<${Empty} title=${document.state === "quarantined" ? "None" : "Waiting for the worker"} />`
            : html`<ul class="plain bars">
                <li><${ThreadLink} stream=${stream} id=${assignment.thread_id} label=${threads.get(assignment.thread_id)?.label} class="strong" />
                  ${assignment.probability !== null && html`<${Share} value=${assignment.probability} />`}</li>
                ${assignment.alternatives.map(
                  (one) => html`<li><${ThreadLink} stream=${stream} id=${one.thread_id} label=${threads.get(one.thread_id)?.label} /><${Share} value=${one.probability} tone="pale" /></li>`,
                )}
              </ul>
              <p class="note">${assignment.provisional ? "Provisional: it is still resampled as documents come." : document.state === "late" ? "Late: it came after its time had settled, and moves nothing." : "Settled: it stays where it is."}</p>`
        }<//>
        ${why && html`<${Why} why=${why} threads=${threads} />`}
      </div>
    </div>
  </article>`}<//>`;
}

/** The document with its assignment and reasons; these are missing while it waits. */
async function load(stream, id, signal) {
  const where = (...parts) => streamPath(stream, "documents", id, ...parts);
  const document = await get(where(), {}, signal);
  const placed = document.assignment !== null;
  const [assignment, why] = placed ? await Promise.all([get(where("assignment"), {}, signal), get(where("why"), {}, signal)]) : [null, null];
  const ids = [assignment?.thread_id, ...(assignment?.alternatives || []).map((one) => one.thread_id)];
  return { document, assignment, why, threads: await threadsByIds(stream, ids, signal) };
}
