// The pages of the documentation site: where each comes from, where it goes, and where it stands in the menu.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** The menu, as the README's table "Where to read on" has it. Pages that are not named here stand under "More". */
const MENU = {
  Start: ["README.md", "docs/getting-started.md", "docs/glossary.md"],
  Agents: ["agents", "ptc-lisp", "ptc-lisp-deviations", "models", "tools", "effects"],
  "Graphs and plans": ["workflows", "catalog", "plans", "reviews", "mission-control"],
  "Coding agents": ["mcp", "coding-agents"],
  Code: ["library", "exports", "embedding", "testing", "prove"],
  Operations: [
    "operations",
    "upgrading",
    "deployment",
    "observability",
    "encryption",
    "large-payloads",
    "security",
    "performance",
    "errors",
  ],
  "Change Navigator": ["CONTRIBUTING.md", "agent-loop", "changing-workflow-code", "releasing", "CHANGELOG.md"],
};
const LAST = { Reference: "docs/reference", API: "test/api", Examples: "examples", Decisions: "docs/decisions" };

const markdownIn = (root, folder) =>
  readdirSync(path.join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => path.posix.join(folder, name));

/** The address of a page in the site, of its file in the repository. */
export function addressOf(file) {
  const [first, ...rest] = file.split("/");
  if (file === "README.md") return "index.html";
  if (file.endsWith(".api.md")) return file.replace(/^test\//, "").replace(/\.api\.md$/, ".html");
  if (first === "docs")
    return rest
      .join("/")
      .replace(/README\.md$/, "index.md")
      .replace(/\.md$/, ".html");
  return file
    .replace(/\/README\.md$/, ".md")
    .replace(/\.md$/, ".html")
    .toLowerCase();
}

/** Every page: `{file, address, group, text, title}`, in the order of the menu. */
export function readPages(root) {
  const examples = readdirSync(path.join(root, "examples"))
    .map((name) => path.posix.join("examples", name, "README.md"))
    .filter((file) => existsSync(path.join(root, file)));
  const all = [
    ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md"],
    ...["docs", "docs/reference", "test/api", "docs/decisions"].flatMap((folder) => markdownIn(root, folder)),
    ...examples,
  ];
  const named = Object.entries(MENU).flatMap(([group, names]) =>
    names.map((name) => ({ group, file: name.endsWith(".md") ? name : `docs/${name}.md` })),
  );
  const grouped = (file) => Object.keys(LAST).find((group) => file.startsWith(`${LAST[group]}/`)) ?? "More";
  const others = all
    .filter((file) => !named.some((page) => page.file === file))
    .map((file) => ({ group: grouped(file), file }));
  const order = [...Object.keys(MENU), "More", ...Object.keys(LAST)];
  return [...named, ...others]
    .sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group))
    .map(({ group, file }) => {
      const text = readFileSync(path.join(root, file), "utf8");
      return { group, file, text, address: addressOf(file), title: titleOf(text, file) };
    });
}

/** The first heading as plain text. */
function titleOf(text, file) {
  const [, title] = /^#+ (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${file} has no heading.`);
  return title.replaceAll("`", "");
}
