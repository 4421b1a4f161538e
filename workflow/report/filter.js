const table = document.querySelector("table.filtered"), rows = [...table?.querySelectorAll("tbody tr") ?? []];
const filters = [...table?.tHead.rows[0].cells ?? []].flatMap((head, at) => {
  if (head.dataset.filter === undefined) return [];
  const ranks = !head.classList.contains("words"), select = document.createElement("select");
  const value = row => ranks ? (row.cells[at].dataset.v === "1.000000" ? "right" : "wrong") : row.cells[at].textContent;
  select.add(new Option("all", ""));
  for (const word of [...new Set(rows.map(value))].sort()) select.add(new Option(word));
  select.value = head.dataset.filter;
  select.setAttribute("aria-label", `Show by ${head.textContent}`);
  select.addEventListener("change", show);
  head.append(select);
  return [row => select.value === "" || value(row) === select.value];
});
function show() {
  for (const row of rows) row.hidden = !filters.every(fits => fits(row));
  document.getElementById("shown").textContent = `Shown: ${rows.filter(row => !row.hidden).length} of ${rows.length} rows`;
}
if (table) show();
