// Ask the model without storing anything: which thread would take this text at that time?
import { post, streamPath, threadsByIds } from "../lib/api.js";
import { DAY, decimal, ms, plural } from "../lib/format.js";
import { useTitle } from "../lib/hooks.js";
import { html, useEffect, useState } from "../lib/html.js";
import { setQuery } from "../lib/route.js";
import { Panel, Share, ThreadLink, Time, Words } from "../parts/basic.js";
import { Empty, Failure, Loading } from "../parts/states.js";

const TOP = 8;

export function TryView({ stream, query, live }) {
  useTitle("Try it", stream);
  const [text, setText] = useState(query.text || "");
  const [time, setTime] = useState(query.time || "");
  const [state, setState] = useState({ busy: false, answer: null, error: null });
  const clock = live.stats?.clock;
  const old = clock && Date.now() - ms(clock) > DAY;
  useEffect(() => {
    if (!time && live.stats) setTime(new Date(old ? ms(clock) : Date.now()).toISOString());
  }, [live.stats !== null]);
  const ask = async (event) => {
    event?.preventDefault();
    if (!text.trim()) return;
    setQuery({ text, time });
    setState((before) => ({ ...before, busy: true, error: null }));
    try {
      const moment = time || new Date().toISOString();
      const found = await post(streamPath(stream, "predictions"), { documents: [{ time: moment, text }], top: TOP });
      const answer = found.predictions[0];
      const threads = await threadsByIds(stream, answer.threads.map((one) => one.thread_id));
      setState({ busy: false, error: null, answer: { ...answer, threads: answer.threads.map((one) => ({ ...one, ...threads.get(one.thread_id) })) } });
    } catch (error) {
      setState({ busy: false, answer: null, error });
    }
  };
  useEffect(() => {
    if (query.text && query.time) ask();
  }, []);
  return html`<div class="try">
    <header class="view-head"><h1>Try it</h1><p class="lead">Paste a text and see which thread would take it. Nothing is stored.</p></header>
    <div class="two">
      <form class="panel" onSubmit=${ask}>
        <label class="field"><span>Text</span>
          <textarea rows="9" dir="auto" required value=${text} onInput=${(event) => setText(event.target.value)} placeholder="Paylark refuses cards at the checkout again"></textarea></label>
        <label class="field"><span>Time <em>in your zone</em></span>
          <input type="datetime-local" step="1" value=${toLocal(time)} onInput=${(event) => setTime(fromLocal(event.target.value))} /></label>
        ${time && html`<p class="note">${time.slice(0, 19).replace("T", " ")} UTC${old ? html`; the stream's clock stands at <${Time} at=${clock} />` : ""}</p>`}
        <button type="submit" class="primary" disabled=${state.busy || !text.trim()}>${state.busy ? "Asking…" : "Which thread?"}</button>
      </form>
      <${Panel} title="Where it would go">
        <div aria-live="polite">${
          state.error ? html`<${Failure} error=${state.error} retry=${ask} />`
          : state.busy && !state.answer ? html`<${Loading} what="Asking the model" />`
          : state.answer ? html`<${Answer} stream=${stream} answer=${state.answer} />`
          : html`<${Empty} title="No question yet"><p>The answer shows here, with probabilities that sum to 1.</p><//>`
        }</div>
      <//>
    </div>
  </div>`;
}

function Answer({ stream, answer }) {
  return html`<ul class="plain bars">
      ${answer.threads.map(
        (one, at) => html`<li><span><${ThreadLink} stream=${stream} id=${one.thread_id} label=${one.label} class=${at ? "" : "strong"} />
          ${one.top_words && html`<${Words} words=${one.top_words} most=${5} without=${one.label} />`}</span><${Share} value=${one.probability} /></li>`,
      )}
      <li><span>A new thread</span><${Share} value=${answer.new} tone="new" /></li>
      <li><span class="muted">All other threads</span><${Share} value=${answer.other} tone="pale" /></li>
    </ul>
    <p class="note">${answer.tokens === 0 ? "The model knows none of these words, so only time and size speak." : html`${plural(answer.tokens, "token")}${answer.log_p === null ? "" : `, log probability ${decimal(answer.log_p)} per token`}`}</p>`;
}

/** An instant as the value of a local date and time field, and back. */
function toLocal(iso) {
  if (!iso || Number.isNaN(ms(iso))) return "";
  const moment = new Date(iso);
  return new Date(+moment - 60_000 * moment.getTimezoneOffset()).toISOString().slice(0, 19);
}

function fromLocal(value) {
  const moment = new Date(value);
  return Number.isNaN(+moment) ? "" : moment.toISOString();
}
