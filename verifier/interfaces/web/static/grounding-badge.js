/*
 * <grounding-badge>: what a grounding report says of an answer, on any page; no dependencies.
 *
 *   <script src="/static/grounding-badge.js" defer></script>
 *   <grounding-badge><script type="application/json">{"schema": "report.v1", …}</script></grounding-badge>
 *   <grounding-badge src="/answers/17/report.json"></grounding-badge>      of the same origin only
 *   document.querySelector("grounding-badge").report = report;             an object, or its JSON text
 *
 * It needs no inline style or script. Colours and font follow the page's scheme, and the properties
 * --grounding-ink, -paper, -soft, -line, -accepted, -review, -rejected, -focus and -font. `open` shows the claims.
 */
"use strict";

(() => {
  if (customElements.get("grounding-badge")) return;

  const STEP = 25; // claims that are listed at a time
  const LONGEST = 400; // characters of a text that are shown
  const LARGEST = 50_000_000; // characters of a report that is fetched
  const ORDER = ["rejected", "review", "unchecked", "accepted"];
  const TIERS = ["database", "ledger", "document"];
  const LABELS = {
    rejected: "Rejected", review: "Unverified: needs review", unchecked: "Unverified", accepted: "Accepted",
    database: "Verified against the database", ledger: "Confirmed by tool results",
    document: "Supported by the cited document", other: "Accepted", general: "General knowledge, not checked",
  };
  const PLAIN = { accepted: "✓", review: "?", unchecked: "–", rejected: "✕" };

  const STYLE = `
    :host { display: block; color-scheme: light dark; font: var(--grounding-font, .9rem/1.5 system-ui, sans-serif);
      --ink: var(--grounding-ink, #1c2126); --paper: var(--grounding-paper, #fff); --soft: var(--grounding-soft, #56606a);
      --line: var(--grounding-line, #c9ced2); --accepted: var(--grounding-accepted, #17663a);
      --review: var(--grounding-review, #765000); --rejected: var(--grounding-rejected, #a4161f);
      --focus: var(--grounding-focus, #0b5a7d); }
    @media (prefers-color-scheme: dark) { :host {
      --ink: var(--grounding-ink, #e5e8ea); --paper: var(--grounding-paper, #1a1e22); --soft: var(--grounding-soft, #a5afb7);
      --line: var(--grounding-line, #48515a); --accepted: var(--grounding-accepted, #7fd6a1);
      --review: var(--grounding-review, #f2c76b); --rejected: var(--grounding-rejected, #ff9f9f);
      --focus: var(--grounding-focus, #8ccbea); } }
    :host([hidden]) { display: none; }
    * { box-sizing: border-box; }
    section { color: var(--ink); background: var(--paper); border: 1px solid var(--line); border-radius: .6rem;
      overflow: hidden; overflow-wrap: anywhere; }
    p, ul { margin: 0; padding: 0; list-style: none; }
    button { font: inherit; color: inherit; background: none; border: 0; cursor: pointer; text-align: start; }
    .top { display: flex; gap: .6rem; align-items: baseline; width: 100%; min-height: 2.75rem; padding: .6rem .85rem; }
    .top > .told { flex: 1; }
    .top:hover .told { text-decoration: underline; text-underline-offset: .2em; }
    button:focus-visible { outline: 3px solid var(--focus); outline-offset: -3px; border-radius: .5rem; }
    .plain { padding: .6rem .85rem; }
    .sign { font-weight: 700; inline-size: 1.1em; flex: none; text-align: center; }
    .arrow { color: var(--soft); transition: transform .15s; }
    [aria-expanded="true"] .arrow { transform: rotate(180deg); }
    .accepted { color: var(--accepted); } .review, .unchecked { color: var(--review); } .rejected { color: var(--rejected); }
    .more { border-block-start: 1px solid var(--line); }
    li { display: flex; gap: .6rem; padding: .6rem .85rem; border-block-end: 1px solid var(--line); }
    li > div { flex: 1; min-inline-size: 0; }
    .label { font-weight: 600; font-size: .85em; }
    .detail, .place, .notes { color: var(--soft); font-size: .9em; }
    .notes { padding: .6rem .85rem; } .notes p + p { margin-block-start: .3rem; }
    .next { display: block; width: 100%; min-height: 2.75rem; padding: .6rem .85rem; color: var(--focus);
      border-block-end: 1px solid var(--line); font-weight: 600; }
    @media (prefers-reduced-motion: reduce) { .arrow { transition: none; } }
    @media (forced-colors: active) { section, li { border-color: CanvasText; } .sign, .label { color: CanvasText; } }
  `;
  let sheet; // one for all badges of the page

  /** Return what the element shows of a report. Throws an Error with words for people where it is none. */
  function read(report) {
    if (typeof report === "string") report = JSON.parse(report);
    if (report === null || typeof report !== "object" || Array.isArray(report)) throw new Error("it is no object");
    if (report.schema !== "report.v1") throw new Error("its form is not report.v1");
    const { verdicts, unchecked } = report;
    if (!Array.isArray(verdicts) || !Array.isArray(unchecked)) throw new Error("it has no list of verdicts");
    if (report.claims !== verdicts.length) throw new Error("verdicts are missing");
    const claims = verdicts.map(readClaim);
    const counts = {};
    for (const one of claims) counts[one.group] = (counts[one.group] ?? 0) + 1;
    claims.sort((one, other) => ORDER.indexOf(one.disposition) - ORDER.indexOf(other.disposition));
    const edits = report.release?.edits;
    return {
      claims, counts, silent: unchecked.length,
      corrected: Array.isArray(edits) ? edits.length : 0, held: report.release?.text === null,
    };
  }

  function readClaim(verdict) {
    const { disposition, code, tier } = verdict ?? {};
    if (!ORDER.includes(disposition) || typeof code !== "string") throw new Error("a verdict can't be read");
    const accepted = TIERS.includes(tier) ? tier : "other";
    const group = disposition === "accepted" ? accepted : code === "general_knowledge" ? "general" : disposition;
    return {
      disposition, group, text: text(verdict.text), detail: text(verdict.detail),
      right: disposition === "rejected" ? text(verdict.corrected_value) : "",
      places: Array.isArray(verdict.evidence) ? [...new Set(verdict.evidence.slice(0, 20).map(place))].slice(0, 3) : [],
    };
  }

  function text(value) {
    const written = typeof value === "string" ? value.slice(0, 4 * LONGEST) : "";
    const signs = [...written]; // code points: no emoji is cut in half
    return signs.length <= LONGEST ? written : `${signs.slice(0, LONGEST).join("")}…`;
  }

  function place(evidence) {
    const at = evidence?.locator ?? {};
    switch (at.kind) {
      case "row": return `row ${text(at.key)} of ${text(at.table)}${at.column ? `, ${text(at.column)}` : ""}`;
      case "ledger": return `result of ${text(at.tool)}`;
      case "span": return `source ${text(at.source)}${Number.isInteger(at.seq) ? `, version ${at.seq}` : ""}`;
      default: return "what the turn was told";
    }
  }

  function count(number, one, many) {
    return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
  }

  /** Return the parts of the summary: what was proved by what, then what was not. */
  function summarise({ counts, claims }) {
    const of = (...groups) => groups.reduce((sum, one) => sum + (counts[one] ?? 0), 0);
    const parts = [];
    const tell = (kind, number, words) => number && parts.push([kind, words]);
    if (!claims.length) return [["unchecked", "Nothing to check in this answer"]];
    tell("accepted", of("database"), `${count(of("database"), "fact", "facts")} verified against the database`);
    tell("accepted", of("ledger"), `${count(of("ledger"), "fact", "facts")} confirmed by tool results`);
    tell("accepted", of("document"), `${count(of("document"), "statement", "statements")} supported by cited documents`);
    tell("accepted", of("other"), `${count(of("other"), "claim", "claims")} accepted`);
    tell("rejected", of("rejected"), `${count(of("rejected"), "claim", "claims")} rejected`);
    tell("unchecked", of("review", "unchecked"), `${count(of("review", "unchecked"), "claim", "claims")} unverified`);
    tell("unchecked", of("general"), `${count(of("general"), "claim", "claims")} of general knowledge, not checked`);
    return parts;
  }

  function make(name, className, written, ...children) {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (written) element.textContent = written; // text, never markup
    element.append(...children);
    return element;
  }

  function sign(disposition) {
    const made = make("span", `sign ${disposition}`, PLAIN[disposition]);
    made.setAttribute("aria-hidden", "true"); // the words beside it say the same
    return made;
  }

  function free(element) {
    element.dir = "auto"; // of the page's text, whichever way it runs
    return element;
  }

  function own(...children) {
    const made = make("span", "", "", ...children);
    made.dir = "ltr"; // the badge's own words, on a page that runs the other way too
    return made;
  }

  function join(parts, between) {
    return parts.flatMap((one, at) => (at ? [between, one] : [one]));
  }

  class GroundingBadge extends HTMLElement {
    static observedAttributes = ["src", "open"];
    #shadow = this.attachShadow({ mode: "open" });
    #given; // what was set as the property
    #shown; // what was read of the report
    #asked = 0; // which of several requests is the last
    #watcher;

    connectedCallback() {
      if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(STYLE);
      this.#shadow.adoptedStyleSheets = [sheet];
      if (Object.hasOwn(this, "report")) { // set before the element was defined
        const { report } = this;
        delete this.report;
        this.report = report;
        return;
      }
      // A report that is still being parsed comes after its element.
      this.#watcher = new MutationObserver(() => this.#given === undefined && !this.hasAttribute("src") && this.#load());
      this.#watcher.observe(this, { childList: true, characterData: true, subtree: true });
      this.#load();
    }

    disconnectedCallback() {
      this.#watcher?.disconnect();
      this.#asked += 1;
    }

    attributeChangedCallback(name, was, now) {
      if (!this.isConnected || was === now) return;
      if (name === "open") this.#show();
      else {
        this.#given = undefined;
        this.#load();
      }
    }

    /** The report as it was given: an object in the form report.v1, or its JSON text. */
    get report() {
      return this.#given;
    }

    set report(report) {
      this.#given = report;
      this.#asked += 1;
      if (this.isConnected) this.#load();
    }

    async #load() {
      const asked = ++this.#asked;
      if (this.#given !== undefined && this.#given !== null) return this.#read(this.#given);
      const source = this.getAttribute("src");
      const child = this.querySelector(':scope > script[type="application/json"]');
      if (source !== null) {
        this.#tell("Loading the grounding report…");
        try {
          const fetched = await fetchReport(source);
          if (asked === this.#asked) this.#read(fetched);
        } catch (problem) {
          if (asked === this.#asked) this.#fail(problem);
        }
      } else if (child) this.#read(child.textContent);
      else this.#tell("No grounding report");
    }

    #read(report) {
      try {
        this.#shown = read(report);
        this.#show();
      } catch (problem) {
        this.#fail(problem);
      }
    }

    #fail(problem) {
      const told = problem instanceof SyntaxError ? "it is no JSON" : problem.message;
      this.#tell(`The grounding report can't be shown: ${text(told)}`, "rejected");
    }

    #tell(words, kind) {
      this.#shown = undefined;
      const line = make("p", "plain", "", ...(kind ? [sign(kind), " "] : []), own(words));
      line.setAttribute("role", "status");
      this.#shadow.replaceChildren(make("section", "", "", line));
    }

    #show() {
      if (!this.#shown) return;
      const hadFocus = this.#shadow.activeElement?.classList.contains("top");
      const open = this.hasAttribute("open");
      const parts = summarise(this.#shown);
      const worst = ["rejected", "unchecked", "accepted"].find((kind) => parts.some(([one]) => one === kind));
      const told = make("span", "told", "", own(...join(parts.map(([kind, words]) => make("span", `part ${kind}`, words)), " · ")));
      const arrow = make("span", "arrow", "▾");
      arrow.setAttribute("aria-hidden", "true");
      const top = make("button", "top", "", sign(worst), told, arrow);
      top.type = "button";
      top.setAttribute("aria-expanded", String(open));
      top.setAttribute("aria-controls", "more");
      top.addEventListener("click", () => this.toggleAttribute("open"));
      const more = make("div", "more");
      more.id = "more";
      more.hidden = !open;
      if (open) this.#list(more);
      const section = make("section", "", "", top, more);
      section.setAttribute("aria-label", "Grounding of this answer");
      section.addEventListener("keydown", (event) => {
        if (event.key !== "Escape" || !this.hasAttribute("open")) return;
        this.removeAttribute("open");
        this.#shadow.querySelector(".top").focus();
      });
      this.#shadow.replaceChildren(section);
      if (hadFocus) top.focus();
    }

    #list(more) {
      const { claims, silent, corrected, held } = this.#shown;
      const list = make("ul");
      list.setAttribute("role", "list");
      more.append(list);
      const next = make("button", "next");
      next.type = "button";
      const extend = () => {
        const at = list.childElementCount;
        list.append(...claims.slice(at, at + STEP).map(item));
        const left = claims.length - list.childElementCount;
        next.textContent = `Show ${Math.min(STEP, left)} more of ${count(left, "claim", "claims")}`;
        next.hidden = left === 0;
        return list.children[at];
      };
      next.addEventListener("click", () => {
        const first = extend();
        first.tabIndex = -1;
        first.focus();
      });
      if (claims.length) extend();
      if (claims.length > STEP) list.after(next);
      more.append(make("div", "notes", "", ...notes(claims, silent, corrected, held)));
    }
  }

  function item(claim) {
    const kind = claim.group === "general" ? "unchecked" : claim.disposition;
    const body = make("div", "", "", free(make("p", "", claim.text || "(no text)")), make("p", `label ${kind}`, "", own(LABELS[claim.group])));
    if (claim.detail) body.append(free(make("p", "detail", claim.detail)));
    if (claim.right) body.append(make("p", "detail", "", own("It should be: ", make("bdi", "", claim.right))));
    if (claim.places.length) {
      const places = claim.places.map((one) => make("bdi", "", one));
      body.append(make("p", "place", "", own("Rests on: ", ...join(places, "; "))));
    }
    return make("li", "", "", sign(kind), body);
  }

  function notes(claims, silent, corrected, held) {
    const told = [];
    if (held) told.push("This answer was held back.");
    if (corrected) told.push(`The answer was corrected in ${count(corrected, "place", "places")}; the claims are those it made before.`);
    if (silent) told.push(`${count(silent, "sentence states", "sentences state")} nothing that could be checked.`);
    if (claims.some((one) => one.disposition === "review" || one.disposition === "unchecked")) {
      told.push("Unverified is not wrong: nothing that was at hand proves it or speaks against it for certain.");
    }
    if (claims.some((one) => one.group === "document")) {
      told.push("Supported says that the cited document states it, not that it is true.");
    }
    if (!claims.length && !silent) told.push("It makes no statement, such as a price, a date or a quotation, that could be checked.");
    return told.map((words) => make("p", "", "", own(words)));
  }

  /** Return the text of a report of this origin; a report may hold what its reader alone should see. */
  async function fetchReport(source) {
    const place = new URL(source, document.baseURI);
    if (place.origin !== location.origin) throw new Error("it is of another site");
    const answer = await fetch(place, { headers: { Accept: "application/json" }, redirect: "error", credentials: "same-origin" });
    if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
    const written = await answer.text();
    if (written.length > LARGEST) throw new Error("it is too large");
    return written;
  }

  customElements.define("grounding-badge", GroundingBadge);
})();
