document.querySelectorAll("table.sorted thead button").forEach(button => button.addEventListener("click", () => {
  const head = button.parentElement, table = head.closest("table"), bodies = [...table.tBodies], at = head.cellIndex;
  const was = head.getAttribute("aria-sort"), text = bodies.flatMap(body => [...body.rows]).every(row => row.cells[at].dataset.v === undefined);
  const up = was ? was === "descending" : text || head.dataset.more === "0";
  table.querySelectorAll("th").forEach(other => other.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const key = row => text ? row.cells[at].textContent : row.cells[at].dataset.v === undefined ? null : Number(row.cells[at].dataset.v);
  for (const body of bodies) [...body.rows].sort((a, b) => {
    const x = key(a), y = key(b);
    if (x === null || y === null) return (x === null) - (y === null);
    return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
  }).forEach(row => body.append(row));
}));
