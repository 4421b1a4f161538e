"use strict";
const {store, ident, file} = document.body.dataset;
const place = key => `${store} ${key}`;
const notePlace = key => `note of ${store} ${key}`;
const articles = [...document.querySelectorAll("article")];
const choices = [...document.querySelectorAll("#keys [data-verdict]")].map(({dataset}) => ({...dataset, verdict: JSON.parse(dataset.verdict)}));
let at = 0;

// A browser may forbid or run out of storage; then verdicts last as long as the page, and it says so.
const unsaved = new Map();
function read(name) {
  if (unsaved.has(name)) return unsaved.get(name);
  try { return localStorage.getItem(name); } catch { return null; }
}
function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
    unsaved.delete(name);
  } catch { unsaved.set(name, value); }
}
function names() {
  let kept = [];
  try { kept = Object.keys(localStorage); } catch { /* none */ }
  return [...new Set([...kept, ...unsaved.keys()])].filter(name => read(name) !== null);
}

function verdict(article) {
  const kept = read(place(article.dataset.key));
  return kept === null ? null : JSON.parse(kept);
}

// What was typed last: the draft of a text without a verdict, or the note of its verdict.
function noted(article) {
  const draft = read(notePlace(article.dataset.key));
  if (draft !== null) return draft;
  const decision = verdict(article);
  return decision === null ? "" : decision.note;
}

function write(article, decision, note) {
  const {key} = article.dataset;
  keep(place(key), decision === null ? null : JSON.stringify({...decision, note}));
  keep(notePlace(key), decision === null && note !== "" ? note : null);
}

function choice(decision) {
  return decision && choices.find(one => Object.entries(one.verdict).every(([name, value]) => decision[name] === value));
}

function show() {
  let judged = 0, drafts = 0;
  for (const article of articles) {
    const decision = verdict(article);
    const chosen = choice(decision);
    judged += decision !== null;
    article.dataset.verdict = chosen ? chosen.tone : "";
    article.querySelector(".verdict").textContent = chosen ? chosen.status : "not judged";
    const input = article.querySelector("input"), note = noted(article);
    if (input !== document.activeElement) input.value = note;
    drafts += decision === null && note !== "";
    for (const button of article.querySelectorAll(".give button[data-tone]"))
      button.setAttribute("aria-pressed", String(chosen !== null && chosen !== undefined && button.dataset.status === chosen.status));
    article.querySelector(".give .undo").hidden = decision === null;
  }
  const more = drafts === 0 ? "" : `, ${drafts} with a note alone`;
  const warning = unsaved.size === 0 ? "" : " – this browser keeps nothing: save before you close the page";
  document.getElementById("count").textContent = `${judged} of ${articles.length} judged${more}${warning}`;
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
  write(article, given, article.querySelector("input").value);
  show();
  if (at < articles.length - 1) go(at + 1);
}

function undo(article) {
  write(article, null, article.querySelector("input").value);
  show();
}

function lines() {
  const start = place("");
  const keys = names().filter(name => name.startsWith(start)).map(name => name.slice(start.length)).sort();
  return keys.map(key => JSON.stringify({[ident]: key, ...JSON.parse(read(place(key)))}) + "\n").join("");
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
  else if (event.key === "u") undo(articles[at]);
  else if (event.key === "n") articles[at].querySelector("input").focus();
  else if (event.key === "s") save();
  else return;
  event.preventDefault();
});

for (const [number, article] of articles.entries()) {
  article.addEventListener("click", () => { if (number !== at) go(number); });
  article.querySelector("input").addEventListener("input", event => {
    write(article, verdict(article), event.target.value);
    show();
  });
  const give = document.createElement("div");
  give.className = "give";
  const add = (words, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = words;
    button.addEventListener("click", event => {
      event.stopPropagation();
      if (number !== at) {
        articles[at].removeAttribute("aria-current");
        at = number;
        article.setAttribute("aria-current", "true");
      }
      act();
    });
    give.append(button);
    return button;
  };
  for (const {label, tone, status, verdict: given} of choices) Object.assign(add(label, () => judge(given)).dataset, {tone, status});
  add("undo", () => undo(article)).className = "undo";
  article.querySelector(".top").append(give);
}
document.getElementById("save").addEventListener("click", save);
show();
const first = articles.findIndex(article => verdict(article) === null);
go(first === -1 ? 0 : first);
