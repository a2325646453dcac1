// What is around each page: head, search, menu.
import path from "node:path";
import { escaped } from "./markdown.mjs";

/** One HTML file. Nothing is fetched from elsewhere, so that it works from a folder and without a network. */
export function shell({ page, html, pages, version }) {
  const up = path.posix.relative(path.posix.dirname(page.address), ".");
  const base = up === "" ? "" : `${up}/`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} · Navigator</title>
<link rel="stylesheet" href="${base}assets/site.css">
<script defer src="${base}assets/minisearch.js"></script>
<script defer src="${base}assets/search-index.js"></script>
<script defer src="${base}assets/site.js" data-base="${base}"></script>
</head>
<body>
<a class="skip" href="#page">To the page</a>
<header>
<a class="name" href="${base}index.html">Navigator</a> <span class="version">${escaped(version)}</span>
<div class="search">
<input id="search" type="search" placeholder="Search ( / )" aria-label="Search the documentation" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found">
<ul id="found" role="listbox" aria-label="Found" hidden></ul>
</div>
</header>
<div class="columns">
<nav aria-label="Pages">
${menu(page, pages, base)}
</nav>
<main id="page">
${html}
</main>
</div>
</body>
</html>
`;
}

function menu(page, pages, base) {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return groups
    .map((group) => {
      const items = pages
        .filter((one) => one.group === group)
        .map((one) => {
          const here = one === page ? ' aria-current="page"' : "";
          return `<li><a href="${base}${one.address}"${here}>${escaped(one.title)}</a></li>`;
        });
      const isLong = items.length > 12 && page.group !== group;
      return `<details${isLong ? "" : " open"}><summary>${group}</summary><ul>\n${items.join("\n")}\n</ul></details>`;
    })
    .join("\n");
}
