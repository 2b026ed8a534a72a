"use strict";
// Two sliders choose a cell of the table that was computed with the plan.
for (const box of document.querySelectorAll(".control")) {
  const data = JSON.parse(box.dataset.table);
  const [budget, radius] = box.querySelectorAll("input");
  const labels = box.querySelectorAll(".at");
  const light = box.querySelector(".light");
  const answer = box.querySelector("output");
  const show = () => {
    const [words, colour] = data.cells[+budget.value][+radius.value];
    labels[0].textContent = data.budgets[+budget.value];
    labels[1].textContent = data.radii[+radius.value];
    light.className = `light ${colour}`;
    answer.textContent = colour ? `Expected error ${words} (${colour})` : "The mechanism refuses this.";
  };
  budget.addEventListener("input", show);
  radius.addEventListener("input", show);
  show();
}
