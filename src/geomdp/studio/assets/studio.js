"use strict";
// Sliders move a number by factors; whatever changes in a live form is forecast again. Without this
// script the buttons do the same.
const live = document.querySelector("form.live");
if (live) {
  const answer = document.getElementById("forecast");
  let waiting = 0, latest = 0;
  const ask = async () => {
    const mine = ++latest;
    answer.setAttribute("aria-busy", "true");
    try {
      const reply = await fetch(live.dataset.live, { method: "POST", body: new URLSearchParams(new FormData(live)), cache: "no-store" });
      const text = await reply.text();
      if (mine === latest && reply.ok) {
        answer.innerHTML = text;
        // What was wrong when the page was made may be right now: the answer says what is.
        for (const old of live.querySelectorAll("p.wrong, .fixes, .warning")) old.remove();
        for (const old of live.querySelectorAll(".bad")) old.classList.remove("bad");
        for (const old of live.querySelectorAll("[aria-invalid]")) old.removeAttribute("aria-invalid");
      }
    } finally {
      if (mine === latest) answer.setAttribute("aria-busy", "false");
    }
  };
  const soon = () => { clearTimeout(waiting); waiting = setTimeout(ask, 120); };
  for (const slider of live.querySelectorAll(".slider")) {
    const box = document.getElementById(slider.dataset.for);
    let from = 0;
    const place = () => {
      const number = parseFloat(box.value.replace(",", "."));
      if (number > 0) { from = number; slider.value = 0; }
    };
    place();
    box.addEventListener("input", place);
    slider.addEventListener("input", () => {
      if (!(from > 0)) from = 1;
      box.value = String(Number((from * Math.pow(10, slider.value / 100)).toPrecision(3)));
      soon();
    });
    slider.addEventListener("change", place);
  }
  live.addEventListener("input", (event) => { if (!event.target.matches(".slider")) soon(); });
}
// A release's page follows its work; a form that spends is sent once.
const job = document.querySelector("#job.going");
if (job) {
  const follow = setInterval(async () => {
    const reply = await fetch(location.href, { cache: "no-store" });
    const page = new DOMParser().parseFromString(await reply.text(), "text/html").getElementById("job");
    if (!page) return;
    const kept = document.activeElement && job.contains(document.activeElement) ? document.activeElement.name : "";
    job.innerHTML = page.innerHTML;
    job.className = page.className;
    if (kept) job.querySelector(`[name="${kept}"]`)?.focus();
    if (!page.classList.contains("going")) clearInterval(follow);
  }, 500);
}
for (const form of document.querySelectorAll("form.once")) {
  form.addEventListener("submit", () => { form.querySelector("button.main").setAttribute("aria-disabled", "true"); });
}
