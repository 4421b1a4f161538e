"use strict";
const {store, ident, file} = document.body.dataset;
const place = key => `${store} ${key}`;
const articles = [...document.querySelectorAll("article")];
const choices = [...document.querySelectorAll("#keys [data-verdict]")].map(({dataset}) => ({...dataset, verdict: JSON.parse(dataset.verdict)}));
let at = 0;

function verdict(article) {
  const kept = localStorage.getItem(place(article.dataset.key));
  return kept === null ? null : JSON.parse(kept);
}

function choice(told) {
  return told && choices.find(one => Object.entries(one.verdict).every(([name, value]) => told[name] === value));
}

function show() {
  let judged = 0;
  for (const article of articles) {
    const told = verdict(article);
    const chosen = choice(told);
    judged += told !== null;
    article.dataset.verdict = chosen ? chosen.tone : "";
    article.querySelector(".verdict").textContent = chosen ? chosen.told : "not judged";
    article.querySelector("input").value = told === null ? "" : told.note;
  }
  document.getElementById("count").textContent = `${judged} of ${articles.length} judged`;
}

function go(to) {
  if (!articles.length) return;
  articles[at].removeAttribute("aria-current");
  at = Math.max(0, Math.min(articles.length - 1, to));
  articles[at].setAttribute("aria-current", "true");
  articles[at].focus({preventScroll: true});
  articles[at].scrollIntoView({block: "start"});
}

function judge(given) {
  const article = articles[at];
  const note = article.querySelector("input").value;
  localStorage.setItem(place(article.dataset.key), JSON.stringify({...given, note}));
  show();
  if (at < articles.length - 1) go(at + 1);
}

function lines() {
  const start = place("");
  const keys = Object.keys(localStorage).filter(name => name.startsWith(start)).map(name => name.slice(start.length)).sort();
  return keys.map(key => JSON.stringify({[ident]: key, ...JSON.parse(localStorage.getItem(place(key)))}) + "\n").join("");
}

function save() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([lines()], {type: "application/jsonl"}));
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.tagName === "INPUT") {
    if (event.key === "Enter" || event.key === "Escape") articles[at].focus();
    return;
  }
  const pressed = choices.find(one => one.key === event.key);
  if (event.key === "j" || event.key === "ArrowRight") go(at + 1);
  else if (event.key === "k" || event.key === "ArrowLeft") go(at - 1);
  else if (pressed) judge(pressed.verdict);
  else if (event.key === "u") { localStorage.removeItem(place(articles[at].dataset.key)); show(); }
  else if (event.key === "n") articles[at].querySelector("input").focus();
  else if (event.key === "s") save();
  else return;
  event.preventDefault();
});

for (const [number, article] of articles.entries()) {
  article.addEventListener("click", () => { if (number !== at) go(number); });
  article.querySelector("input").addEventListener("change", event => {
    const told = verdict(article);
    if (told !== null) localStorage.setItem(place(article.dataset.key), JSON.stringify({...told, note: event.target.value}));
  });
}
document.getElementById("save").addEventListener("click", save);
show();
const first = articles.findIndex(article => verdict(article) === null);
go(first === -1 ? 0 : first);
