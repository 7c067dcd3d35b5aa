// Light, dark or as the system says, and colours for canvases.
import { useEffect, useState } from "./html.js";

const STORED = "threadline.theme";
const ORDER = ["system", "light", "dark"];
const system = matchMedia("(prefers-color-scheme: dark)");

/** [chosen, next, dark]: the choice, how to step to the next, and whether dark is what shows. */
export function useTheme() {
  const [chosen, setChosen] = useState(() => document.documentElement.dataset.theme || "system");
  const [, redraw] = useState(0);
  useEffect(() => {
    const changed = () => redraw((value) => value + 1);
    system.addEventListener("change", changed);
    return () => system.removeEventListener("change", changed);
  }, []);
  const next = () => {
    const theme = ORDER[(ORDER.indexOf(chosen) + 1) % ORDER.length];
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem(STORED, theme);
    } catch {
      // Storage may be forbidden; the choice lasts until the page is closed.
    }
    setChosen(theme);
  };
  return [chosen, next, chosen === "dark" || (chosen === "system" && system.matches)];
}

/** Colours of the style sheet as a canvas takes them. */
export function colours(element, names) {
  const probe = document.createElement("span");
  element.append(probe);
  const found = {};
  for (const name of names) {
    probe.style.color = `var(--${name})`;
    found[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  return found;
}
