// The documentation as a static site: `npm run docs:site` writes site/, which any web server can serve and a browser opens from the
// folder. Every link must lead to a page and a heading that exist.
//
//   --out FOLDER  instead of site/
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import MiniSearch from "minisearch";
import { versionOf } from "./release/version-places.mjs";
import { apiPage, httpPage } from "./site/api-pages.mjs";
import { renderPage } from "./site/markdown.mjs";
import { readPages } from "./site/pages.mjs";
import { shell } from "./site/shell.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { values } = parseArgs({ options: { out: { type: "string", default: path.join(root, "site") } } });
const out = path.resolve(values.out);
/** The search of the page and the index are given the same. */
const SEARCH = {
  fields: ["title", "heading", "text"],
  storeFields: ["address", "title", "heading", "excerpt"],
  searchOptions: { boost: { heading: 4, title: 2 }, prefix: true, fuzzy: 0.15, combineWith: "AND" },
};
/** Names of code, such as `no_worker`, are words as they are; a text has their parts, too. Also run in the page: of itself alone. */
const tokenize = (text, field) => {
  const words = text.split(/[^\p{L}\p{N}_]+/u);
  return field === undefined
    ? words
    : words.flatMap((word) => (word.includes("_") ? [word, ...word.split("_")] : [word]));
};

const write = (file, text) => {
  mkdirSync(path.dirname(path.join(out, file)), { recursive: true });
  writeFileSync(path.join(out, file), text);
};

const pages = [
  ...readPages(root).map((page) => (page.file.endsWith(".api.md") ? apiPage(root, page) : page)),
  httpPage(root),
];
const files = new Set(pages.map(({ file }) => file).filter((file) => file.endsWith(".md")));
const version = versionOf(root);
rmSync(out, { recursive: true, force: true });

const isFolder = (file) => statSync(path.join(root, file), { throwIfNoEntry: false })?.isDirectory() === true;
const rendered = pages.map((page) => ({ page, ...renderPage(page, files, isFolder) }));
for (const { page, html } of rendered) write(page.address, shell({ page, html, pages, version }));

const copied = new Map(rendered.flatMap((one) => [...one.copied].map((file) => [file, one.page.file])));
for (const [file, by] of copied) {
  const from = path.join(root, file);
  if (!existsSync(from)) throw new Error(`${by} links to ${file}, which is no file.`);
  mkdirSync(path.dirname(path.join(out, file)), { recursive: true });
  cpSync(from, path.join(out, file));
}

const anchors = new Map(rendered.map(({ page, sections }) => [page.address, new Set(sections.map(({ id }) => id))]));
const broken = rendered.flatMap(({ page, links }) =>
  links
    .filter(({ address, anchor }) => anchor !== undefined && anchors.has(address) && !anchors.get(address).has(anchor))
    .map(({ address, anchor }) => `${page.file}: ${address} has no heading #${anchor}`),
);
if (broken.length > 0) throw new Error(broken.join("\n"));

const index = new MiniSearch({ ...SEARCH, tokenize });
const found = rendered.flatMap(({ page, sections }) =>
  sections.map(({ id, heading, text }, i) => {
    const address = `${page.address}#${id}`;
    return { id: `${page.address} ${i}`, address, title: page.title, heading, text, excerpt: text.slice(0, 140) };
  }),
);
index.addAll(found);
const asset = (name) => path.join("assets", name);
const options = `Object.assign(${JSON.stringify(SEARCH)}, { tokenize: ${tokenize} })`;
write(
  asset("search-index.js"),
  `globalThis.NAVIGATOR_SEARCH = { options: ${options}, index: ${JSON.stringify(index)} };\n`,
);
const umd = path.join(path.dirname(createRequire(import.meta.url).resolve("minisearch")), "..", "umd", "index.js");
write(asset("minisearch.js"), readFileSync(umd, "utf8").replace(/^\/\/# sourceMappingURL=.*$/m, ""));
for (const name of ["site.css", "site.js"])
  copyFileSync(path.join(root, "scripts", "site", "assets", name), path.join(out, asset(name)));
console.log(`${pages.length} pages and ${found.length} sections in ${path.relative(process.cwd(), out) || "."}`);
