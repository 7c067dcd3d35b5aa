// The first run: nothing is stored yet. Says what to do next, and offers something to look at.
import { post, streamPath } from "../lib/api.js";
import { html, useState } from "../lib/html.js";
import { useTitle } from "../lib/hooks.js";
import { Failure } from "../parts/states.js";

const SAMPLE = new URL("../sample.jsonl", import.meta.url);

export function Welcome({ onLoaded }) {
  useTitle("Welcome");
  const [state, setState] = useState({ busy: false, error: null });
  const load = async () => {
    setState({ busy: true, error: null });
    try {
      const lines = await (await fetch(SAMPLE)).text();
      await post(streamPath("default", "documents", "bulk"), lines, "application/x-ndjson");
      onLoaded();
    } catch (error) {
      setState({ busy: false, error });
    }
  };
  const origin = location.href.replace(/#.*$/, "").replace(/\/$/, "");
  const example = `curl -s ${origin}/v1/streams/default/documents \\\n  -H 'Content-Type: application/json' \\\n  -d '{"id": "hello", "time": "${new Date().toISOString().slice(0, 19)}Z", "text": "The bridge is closed: the river is rising."}'`;
  return html`<div class="welcome">
    <h1>Nothing has arrived yet</h1>
    <p class="lead">Threadline groups documents into threads as they arrive, and says of each when it was born, how alive it is and when it died.</p>
    <div class="two">
      <section class="card">
        <h2>Look around first</h2>
        <p>Load an invented inbox: 160 mails of a small company, two months, into the stream <code>default</code>. Delete the stream when you have seen enough.</p>
        <button type="button" class="primary" disabled=${state.busy} onClick=${load}>${state.busy ? "Loading…" : "Load the sample inbox"}</button>
        ${state.error && html`<${Failure} error=${state.error} />`}
      </section>
      <section class="card">
        <h2>Send a document of your own</h2>
        <p>A document has a time, a text and an id of your choice. This page shows its thread a second later.</p>
        <pre class="code" tabindex="0">${example}</pre>
        <p class="muted">Many at once: post JSON lines to <code>/v1/streams/default/documents/bulk</code>.</p>
      </section>
    </div>
  </div>`;
}
