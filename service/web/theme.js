// Before anything is painted: the theme that the reader chose, or none to follow the system.
(() => {
  try {
    const chosen = localStorage.getItem("threadline.theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage may be forbidden; the system's theme is a good one.
  }
})();
