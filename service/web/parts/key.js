// The form that asks for a key. The key stays in this tab and goes nowhere but to the service.
import { html, useState } from "../lib/html.js";

export function KeyForm({ refused, onKey }) {
  const [secret, setSecret] = useState("");
  const submit = (event) => {
    event.preventDefault();
    if (secret.trim()) onKey(secret.trim());
  };
  return html`<form class="card key-form" onSubmit=${submit}>
    <h1>This service asks for a key</h1>
    <p class="muted">Whoever runs it makes one with <code>threadline keys create NAME</code>. It is kept in this tab until you close it.</p>
    ${refused && html`<p class="failure-title" role="alert">The key is unknown, revoked or expired.</p>`}
    <label class="field"><span>Key</span>
      <input type="password" autocomplete="off" spellcheck="false" autofocus value=${secret} onInput=${(event) => setSecret(event.target.value)} placeholder="threadline_…" />
    </label>
    <button type="submit" class="primary">Open</button>
  </form>`;
}
