// Opens the evidence of a claim beside the answer. Everything works without this file: links lead to the claims.
"use strict";

function openClaim(id) {
  const body = document.getElementById(id);
  const claim = body && body.closest("details");
  if (!claim) return;
  claim.open = true;
  for (const mark of document.querySelectorAll("mark.chosen")) mark.classList.remove("chosen");
  for (const link of document.querySelectorAll("mark a")) {
    if (link.hash === "#" + id) link.closest("mark").classList.add("chosen");
  }
  claim.querySelector("summary").focus({ preventScroll: true });
  claim.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", (event) => {
  const mark = event.target.closest("mark");
  const link = mark && mark.querySelector("a[href^='#']");
  if (!link) return;
  event.preventDefault();
  history.replaceState(null, "", link.hash);
  openClaim(link.hash.slice(1));
});

window.addEventListener("hashchange", () => openClaim(location.hash.slice(1)));
if (location.hash) openClaim(location.hash.slice(1));
