// The search of the documentation: in the page, over an index that was made with the site.
(() => {
  const { base } = document.currentScript.dataset;
  const MOST = 12;
  const input = document.getElementById("search");
  const found = document.getElementById("found");
  const { options, index } = globalThis.NAVIGATOR_SEARCH;
  const search = globalThis.MiniSearch.loadJS(index, options);
  let selected = -1;

  const items = () => [...found.children];
  function select(next) {
    selected = Math.max(-1, Math.min(next, items().length - 1));
    for (const [i, item] of items().entries()) item.setAttribute("aria-selected", String(i === selected));
    const item = items()[selected];
    item?.scrollIntoView({ block: "nearest" });
    if (item === undefined) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", item.id);
  }

  function hide() {
    found.hidden = true;
    input.setAttribute("aria-expanded", "false");
    select(-1);
  }

  function itemOf({ address, title, heading, excerpt }, i) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const small = document.createElement("small");
    item.id = `found-${i}`;
    item.setAttribute("role", "option");
    link.href = base + address;
    link.tabIndex = -1;
    link.append(heading === title ? title : `${title}: ${heading}`);
    small.append(excerpt);
    link.append(small);
    item.append(link);
    return item;
  }

  function show() {
    const words = input.value.trim();
    if (words === "") return hide();
    const results = search.search(words).slice(0, MOST);
    const none = document.createElement("li");
    none.append("Nothing found.");
    found.replaceChildren(...(results.length === 0 ? [none] : results.map(itemOf)));
    found.hidden = false;
    input.setAttribute("aria-expanded", "true");
    select(results.length === 0 ? -1 : 0);
  }

  input.addEventListener("input", show);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") select(selected + 1);
    else if (event.key === "ArrowUp") select(selected - 1);
    else if (event.key === "Escape") hide();
    else if (event.key === "Enter") items()[selected]?.querySelector("a")?.click();
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey;
    if (event.key !== "/" || isTyping) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".search") || event.target.closest("#found a")) hide();
  });
  document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest" });
})();
