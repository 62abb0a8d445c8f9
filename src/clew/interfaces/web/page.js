// The page's one script: keeps it current, does what a person asks for, and moves by keys. Nothing needs it to be read.
"use strict";
const $ = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const meta = (name) => $(`meta[name=clew-${name}]`)?.content ?? "";
const root = document.documentElement;
root.classList.add("scripted");

// The ticket stands behind the "#" of the link, which no server and no log sees; it is spent at once.
const enter = $("#enter");
if (enter && location.hash.length > 1) {
  enter.elements.ticket.value = location.hash.slice(1);
  history.replaceState(null, "", "/");
  enter.submit();
}

// The key that makes this tab a person's: no other program gets it, as it would a cookie.
const key = () => sessionStorage.getItem("clew-key") ?? "";
function setKey(value) {
  if (value) sessionStorage.setItem("clew-key", value);
  else sessionStorage.removeItem("clew-key");
  root.classList.toggle("acting", Boolean(value));
}
setKey(key());
const act = $("#act");
if (act) act.hidden = false;

let sayTimer = 0;
function say(text) {
  const place = $("#said");
  place.textContent = text;
  place.hidden = !text;
  clearTimeout(sayTimer);
  sayTimer = setTimeout(() => { place.hidden = true; }, 8000);
}

async function post(address, fields) {
  const headers = { "Content-Type": "application/json", "X-Clew-Token": meta("token"), "X-Clew-Key": key() };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(fields) });
  const told = await answer.json().catch(() => ({ error: "The server gave no answer." }));
  return [answer.status, told];
}

// Show something and ask for a yes, or for a code: what was typed, "" for a plain yes, null for a no.
function ask({ head, about = "", hint = "", code = false, yes = "Yes, do it" }) {
  const dialog = $("#ask");
  $("#ask-head").textContent = head;
  $("#ask-about").textContent = about;
  $("#ask-about").hidden = !about;
  $("#ask-hint").textContent = hint;
  $("#ask-label").hidden = !code;
  $("#ask-code").value = "";
  $("#ask-yes").textContent = yes;
  dialog.returnValue = "no";
  dialog.showModal();
  ($(code ? "#ask-code" : "#ask-yes")).focus();
  return new Promise((done) => {
    dialog.addEventListener("close", () => done(dialog.returnValue === "yes" ? $("#ask-code").value : null), { once: true });
  });
}
// Enter in the code's field means yes, not the first button of the form.
$("#ask-code")?.addEventListener("keydown", (event) => {
  if (event.key === "Enter") { event.preventDefault(); $("#ask").close("yes"); }
});

async function actAsPerson() {
  const [status, told] = await post("/person", {});
  if (status !== 200) { say(`${told.error}\n${told.hint ?? ""}`); return; }
  const hint = "Type the code that the terminal of clew serve shows now.";
  const code = await ask({ head: "Act as yourself", hint, code: true, yes: "Go on" });
  if (code === null) return;
  const [given, answer] = await post("/person", { code });
  if (given === 200) { setKey(answer.key); say("You can act in this tab now."); }
  else say(`${answer.error}\n${answer.hint ?? ""}`);
}
act?.addEventListener("click", actAsPerson);

async function perform(address, fields) {
  let [status, told] = await post(address, fields);
  for (const seen = []; status === 409;) {
    const hint = "This is what it is about.";
    if (await ask({ head: `Only a person may ${told.says}`, about: told.about, hint }) === null) return null;
    seen.push(told.seen);
    [status, told] = await post(address, { ...fields, seen: seen.join(",") });
  }
  if (status === 403 && told.code === "E-page-person") setKey("");
  if (status !== 200) { say(`${told.error}\n${told.hint ?? ""}`); return null; }
  say([told.said, ...(told.notes ?? [])].filter(Boolean).join("\n"));
  await refresh(true);
  return told;
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("form.deed");
  if (!form) return;
  event.preventDefault();
  const fields = Object.fromEntries(new FormData(form));
  if (event.submitter?.name) fields[event.submitter.name] = event.submitter.value;
  const buttons = all("button", form);
  buttons.forEach((one) => { one.disabled = true; });
  const told = await perform(form.getAttribute("action"), fields);
  buttons.forEach((one) => { one.disabled = false; });
  if (told && form.classList.contains("builds")) {
    $("#built").hidden = false;
    $("#built-text").textContent = told.text;
  }
});
$("#copy")?.addEventListener("click", async () => {
  await navigator.clipboard.writeText($("#built-text").textContent);
  say("Copied.");
});

// A part that changed is put in the place of the old one, but not under the pointer, nor where somebody types.
const held = (part) => part.matches(":hover") || part.contains(document.activeElement) || Boolean($("#ask[open]"));
let later = false;
async function refresh(now = false) {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  later = false;
  for (const part of all("[data-live]")) {
    const next = fresh.getElementById(part.id);
    if (!next || next.innerHTML === part.innerHTML) continue;
    if (!now && held(part)) { later = true; continue; }
    const open = new Set(all("details[open] > summary", part).map((one) => one.textContent));
    part.replaceWith(document.importNode(next, true));
    all(`#${CSS.escape(part.id)} details > summary`).forEach((one) => { if (open.has(one.textContent)) one.parentElement.open = true; });
  }
  markNew();
  root.dataset.shown = String(Date.now());
}
document.addEventListener("pointerout", () => { if (later) refresh(); });
if ($("[data-live]") && meta("token")) {
  const source = new EventSource(`/events?project=${meta("project")}&seen=${meta("seen")}`);
  source.addEventListener("changed", () => refresh());
  addEventListener("pagehide", () => source.close());
}
setInterval(() => {
  for (const one of all("time")) {
    const minutes = Math.floor((Date.now() - Date.parse(one.dateTime)) / 60000);
    const [size, unit] = minutes >= 1440 ? [1440, "day"] : minutes >= 60 ? [60, "hour"] : [1, "minute"];
    const number = Math.floor(minutes / size);
    one.textContent = number < 1 ? "just now" : `${number} ${unit}${number === 1 ? "" : "s"} ago`;
  }
}, 30000);

// What was not there at the last visit is marked.
const place = `clew-seen:${location.pathname}`;
const before = JSON.parse(localStorage.getItem(place) ?? "null");
function markNew() {
  if (!before) return;
  for (const one of all("[data-live] [data-row]")) one.classList.toggle("new", !before.includes(one.dataset.row));
}
markNew();
addEventListener("pagehide", () => {
  const rows = all("[data-live] [data-row]").map((one) => one.dataset.row);
  if (rows.length) localStorage.setItem(place, JSON.stringify(rows.slice(0, 500)));
});

// j and k go from row to row.
document.addEventListener("keydown", (event) => {
  if (!["j", "k"].includes(event.key) || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  const rows = all("[data-keys] [data-row]");
  const at = rows.indexOf(document.activeElement.closest("[data-row]"));
  const next = rows[Math.min(rows.length - 1, Math.max(0, event.key === "j" ? at + 1 : at - 1))];
  if (!next) return;
  next.tabIndex = -1;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
});

// Sources are put into another order by dragging, or by their buttons.
const sources = () => $("[data-order]");
const reorder = (rows) => perform(sources().dataset.order, { stack: sources().dataset.stack, order: rows.map((one) => one.dataset.number).join(",") });
document.addEventListener("click", async (event) => {
  const by = Number(event.target.closest(".move")?.dataset.by ?? 0);
  if (!by) return;
  const rows = all("[data-order] > [data-number]");
  const at = rows.indexOf(event.target.closest("[data-number]"));
  if (at + by < 0 || at + by >= rows.length) return;
  [rows[at], rows[at + by]] = [rows[at + by], rows[at]];
  await reorder(rows);
});
let dragged = null;
document.addEventListener("pointerdown", (event) => {
  if (root.classList.contains("acting")) all("[data-order] > [data-number]").forEach((one) => { one.draggable = !event.target.closest("button, input"); });
});
document.addEventListener("dragstart", (event) => { dragged = event.target.closest?.("[data-number]"); dragged?.classList.add("dragged"); });
document.addEventListener("dragover", (event) => {
  const over = dragged && event.target.closest?.("[data-number]");
  if (over) event.preventDefault();
  if (!over || over === dragged) return;
  const box = over.getBoundingClientRect();
  over[event.clientY > box.top + box.height / 2 ? "after" : "before"](dragged);
});
document.addEventListener("dragend", async () => {
  dragged?.classList.remove("dragged");
  if (dragged) await reorder(all("[data-order] > [data-number]"));
  dragged = null;
});
