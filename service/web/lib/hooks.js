// Loading, sizes and clocks as hooks.
import { useEffect, useLayoutEffect, useRef, useState } from "./html.js";

const AGAIN_MS = 4000; // before a request is repeated by itself when the service does not answer

/** What `load(signal)` gives: {data, error, loading, reload}. Old data stays while new data comes. */
export function useLoad(load, inputs) {
  const [state, setState] = useState({ data: null, error: null, loading: true });
  const [round, setRound] = useState(0);
  const before = useRef("");
  useEffect(() => {
    const control = new AbortController();
    let timer;
    const name = JSON.stringify(inputs.slice(0, inputs.keep ?? inputs.length));
    const same = before.current === name;
    before.current = name;
    setState((old) => ({ data: same ? old.data : null, error: same ? old.error : null, loading: true }));
    load(control.signal).then(
      (data) => !control.signal.aborted && setState({ data, error: null, loading: false }),
      (error) => {
        if (control.signal.aborted) return;
        setState((old) => ({ data: old.data, error, loading: false }));
        if (!error.status || error.status === 429 || error.status === 503) {
          timer = setTimeout(() => setRound((value) => value + 1), Math.max(AGAIN_MS, 1000 * (error.retryAfter || 0)));
        }
      },
    );
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [...inputs, round]);
  return { ...state, reload: () => setRound((value) => value + 1) };
}

/** Inputs of useLoad of which the last ones only ask for fresh data of the same thing. */
export function keyed(inputs, ...fresh) {
  return Object.assign([...inputs, ...fresh], { keep: inputs.length });
}

/** The width of an element: [ref, pixels]. */
export function useWidth(initial = 640) {
  const ref = useRef(null);
  const [width, setWidth] = useState(initial);
  useLayoutEffect(() => {
    if (!ref.current) return undefined;
    setWidth(ref.current.clientWidth); // at once, so that nothing is ever drawn wider than its place
    const watch = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)));
    watch.observe(ref.current);
    return () => watch.disconnect();
  }, []);
  return [ref, Math.max(width, 120)];
}

/** A value that follows another once it has been still for a while. */
export function useSettled(value, wait = 250) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), wait);
    return () => clearTimeout(timer);
  }, [value, wait]);
  return settled;
}

/** The title of the browser's tab. */
export function useTitle(...parts) {
  const title = [...parts.filter(Boolean), "Threadline"].join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
