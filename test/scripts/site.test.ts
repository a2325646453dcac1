import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";
import { temporaryFolder } from "../support/environment";

/** The documentation site, as `npm run docs:site` writes it. */

const root = path.join(__dirname, "../..");
const folder = temporaryFolder("site");
const at = (...place: string[]) => path.join(folder.path, ...place);
const read = (file: string) => readFileSync(at(file), "utf8");
let pages: string[];
beforeAll(() => {
  execFileSync(process.execPath, [path.join(root, "scripts/site.mjs"), "--out", folder.path], { stdio: "pipe" });
  pages = readdirSync(folder.path, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"));
});
afterAll(() => folder.remove());

const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value]) => value as string);

test("every page of the documentation is there, and the menu of each has all of them", () => {
  const docs = readdirSync(path.join(root, "docs")).filter((name) => name.endsWith(".md"));
  expect(pages).toEqual(expect.arrayContaining(docs.map((name) => name.replace(/\.md$/, ".html"))));
  expect(pages).toEqual(
    expect.arrayContaining(["index.html", "reference/lisp.html", "api/http.html", "changelog.html"]),
  );
  for (const page of ["index.html", "api/index.html", "examples/order.html"]) {
    const [, menu = ""] = /<nav[^>]*>([\s\S]*?)<\/nav>/.exec(read(page)) ?? [];
    const linked = attributes(menu, "href").map((href) => path.posix.join(path.posix.dirname(page), href));
    expect(linked.sort()).toEqual([...pages].sort());
  }
});

test("every link and file of a page exists, with its heading; nothing comes from another server", () => {
  const ids = new Map(pages.map((page) => [page, new Set(attributes(read(page), "id"))]));
  const broken = pages.flatMap((page) =>
    [...attributes(read(page), "href"), ...attributes(read(page), "src")]
      .filter((href) => !/^(https?|mailto):/.test(href))
      .filter((href) => {
        const [file, anchor] = href.split("#");
        const target = file === "" ? page : path.posix.join(path.posix.dirname(page), file as string);
        return !existsSync(at(target)) || (anchor !== undefined && ids.get(target)?.has(anchor) !== true);
      })
      .map((href) => `${page}: ${href}`),
  );
  expect(broken).toEqual([]);
  expect(pages.flatMap((page) => attributes(read(page), "src")).filter((src) => /^(https?:|\/\/)/.test(src))).toEqual(
    [],
  );
});

test("the API reference has each name that an entry exports, and each operation of the HTTP API", () => {
  for (const report of readdirSync(path.join(root, "test/api")).filter((name) => name.endsWith(".api.md"))) {
    const text = readFileSync(path.join(root, "test/api", report), "utf8");
    const names = [...text.matchAll(/^export (?:declare )?(?:class|function|const|interface|type) (\w+)/gm)];
    const ids = attributes(read(`api/${report.replace(".api.md", ".html")}`), "id");
    expect(ids).toEqual(expect.arrayContaining(names.map(([, name]) => name?.toLowerCase())));
  }
  const { paths } = JSON.parse(readFileSync(path.join(root, "docs/api/openapi.json"), "utf8"));
  for (const address of Object.keys(paths)) expect(read("api/http.html")).toContain(address);
});

test.each([
  ["claim_task", "mcp.html#claim_task"],
  ["defineTool", "api/index.html#definetool"],
  ["rotate keys", "encryption.html"],
  ["no_worker", "errors.html"],
  ["idempotncy", "effects"],
])("the search of a page finds %s", (words, expected) => {
  const page = vm.createContext({});
  for (const script of ["assets/minisearch.js", "assets/search-index.js"]) vm.runInContext(read(script), page);
  const find = `MiniSearch.loadJS(NAVIGATOR_SEARCH.index, NAVIGATOR_SEARCH.options)
    .search(${JSON.stringify(words)}).slice(0, 12).map((one) => one.address).join(" ")`;
  expect(vm.runInContext(find, page)).toContain(expected);
});
