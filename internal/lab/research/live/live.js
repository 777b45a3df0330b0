// The page takes its parts anew when the log has grown. What was unfolded stays so, and the place on the page too.
"use strict";
let seen = "";
const state = document.createElement("p");
state.id = "live";
state.className = "about";

function say(text) {
  state.textContent = text;
  document.querySelector("header").append(state);
}

async function refresh(version) {
  const answer = await fetch("/");
  if (!answer.ok) {
    say("live: the log cannot be read: " + await answer.text());
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const open = [...document.querySelectorAll("details[open]")].map((d) => d.id);
  const place = scrollY;
  document.body.replaceChildren(...page.body.children);
  for (const id of open) {
    const d = document.getElementById(id);
    if (d) d.open = true;
  }
  scrollTo(0, place);
  say("live: " + version);
}

const events = new EventSource("/events");
events.onmessage = (e) => {
  if (seen !== "" && seen !== e.data) refresh(e.data);
  else say("live: " + e.data);
  seen = e.data;
};
events.onerror = () => say("live: the server is gone");
say("live: connecting");
