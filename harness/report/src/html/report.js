"use strict";
// Steps the picture of the fabric through the cycles from the mismatch on.
(() => {
  const spread = JSON.parse(document.getElementById("spread-data").textContent);
  const slider = document.getElementById("slider");
  if (!slider || spread.length === 0) return;
  const cycle = document.getElementById("slider-cycle");
  const sentence = document.getElementById("spread-text");
  const units = Array.from(document.querySelectorAll("svg.fabric .unit"));
  const show = () => {
    const step = spread[Number(slider.value) - spread[0].cycle];
    const counts = new Map(step.units);
    for (const unit of units) {
      const count = counts.get(unit.dataset.unit) || 0;
      unit.classList.toggle("differs", count > 0);
      unit.querySelector(".count").textContent = count > 0 ? count : "";
    }
    const list = step.units.map(([unit, count]) => `${unit} (${count})`).join(", ");
    cycle.textContent = step.cycle;
    sentence.textContent = `Cycle ${step.cycle}: ${list || "no unit differs."}`;
  };
  slider.addEventListener("input", show);
  document.getElementById("slider-box").hidden = false;
  show();
})();
