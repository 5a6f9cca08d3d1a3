// The theme, and the way from a line to its partners on the other side; all else is CSS.
const root = document.querySelector(".srcgrad");
document.querySelector("#theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = root.dataset.theme || (dark ? "dark" : "light");
  root.dataset.theme = now === "dark" ? "light" : "dark";
});
const show = (line) => {
  const pane = line.closest(".pane");
  for (const other of line.closest(".sides").querySelectorAll(".pane")) {
    if (other === pane) continue;
    const partner = other.querySelector(`[data-u="${line.dataset.u}"]`);
    if (!partner) continue;
    const place = partner.getBoundingClientRect().top - other.getBoundingClientRect().top;
    other.scrollTo({ top: other.scrollTop + place - other.clientHeight / 3, behavior: "smooth" });
  }
};
for (const line of document.querySelectorAll(".line[data-u]")) {
  line.addEventListener("click", () => show(line));
  line.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      show(line);
    }
  });
}
