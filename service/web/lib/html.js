// The one way to make elements. Values become text nodes or properties, never markup.
export { html, render, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact-htm.js";
export const d3 = globalThis.d3;
