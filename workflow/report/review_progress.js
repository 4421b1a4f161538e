"use strict";
const {store} = document.body.dataset;
function show() {
  for (const cell of document.querySelectorAll("[data-keys]")) {
    let judged = 0;
    try { judged = JSON.parse(cell.dataset.keys).filter(key => localStorage.getItem(`${store} ${key}`) !== null).length; } catch { /* no storage */ }
    cell.querySelector("progress").value = judged;
    cell.querySelector("span").textContent = String(judged);
  }
}
addEventListener("pageshow", show);  // also when the reader comes back
addEventListener("storage", show);
show();
