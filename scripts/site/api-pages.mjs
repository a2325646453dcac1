// The API reference: the reports of test/api with a heading for each name, and the HTTP API of its OpenAPI document. Markdown, as
// all other pages, so that menu, anchors and search are the same.
import { readFileSync } from "node:fs";
import path from "node:path";

const NAME = /^export (?:declare )?(?:abstract )?(?:class|function|const|let|interface|type|enum|namespace) (\w+)/;
const ALIAS = /^export \{ \w+ as (\w+) \};/;

/** What a name is for: the lists of docs/exports.md, entry by entry. */
function summariesOf(root, entry) {
  const exported = readFileSync(path.join(root, "docs/exports.md"), "utf8");
  const [, after = ""] = exported.split(`\n### \`${entry}\`\n`);
  const rows = after.split("\n### ")[0].matchAll(/^- `(\w+)`: (.*)$/gm);
  return new Map([...rows].map(([, name, summary]) => [name, summary]));
}

/** The report of an entry, name by name: first what code calls, then types. */
export function apiPage(root, page) {
  const [, entry] = /^# `(.+)`$/m.exec(page.text) ?? [];
  const [, code] = /```ts\n([\s\S]*?)\n```/.exec(page.text) ?? [];
  if (entry === undefined || code === undefined) throw new Error(`${page.file} is no API report.`);
  const summaries = summariesOf(root, entry);
  const declarations = new Map();
  for (const declaration of code.split(/\n(?=export )/)) {
    const [, name] = NAME.exec(declaration) ?? ALIAS.exec(declaration) ?? [];
    if (name === undefined) throw new Error(`${page.file}: no name in ${declaration.slice(0, 60)}`);
    declarations.set(name, [...(declarations.get(name) ?? []), declaration]);
  }
  const isType = ([, [first]]) => /^export (interface|type) /.test(first);
  const told = ([name, texts]) =>
    [`### ${name}`, summaries.get(name) ?? "", "```ts", ...texts, "```"]
      .filter((line) => line !== "")
      .join("\n\n")
      .replace(/```ts\n\n([\s\S]*)\n\n```$/, "```ts\n$1\n```");
  const part = (title, entries) => (entries.length === 0 ? [] : [`## ${title}`, ...entries.map(told)]);
  const all = [...declarations];
  const text = [
    `# ${entry}`,
    `\`import { ... } from "${entry}"\`: ${all.length} names.`,
    ...part(
      "Functions, classes and values",
      all.filter((one) => !isType(one)),
    ),
    ...part("Types", all.filter(isType)),
  ].join("\n\n");
  return { ...page, text, title: entry };
}

const schemaName = (content) =>
  Object.entries(content ?? {})
    .map(([type, { schema }]) => `${type}${schema?.$ref === undefined ? "" : ` (${schema.$ref.split("/").at(-1)})`}`)
    .join(", ");
const cell = (text) => String(text).replaceAll("|", "\\|").replaceAll("\n", " ");
const row = (cells) => `| ${cells.map(cell).join(" | ")} |`;

/** Every operation of the HTTP API: its parameters, body and answers, and the schemas that they name. */
export function httpPage(root) {
  const file = "docs/api/openapi.json";
  const { info, paths, components } = JSON.parse(readFileSync(path.join(root, file), "utf8"));
  const operations = Object.entries(paths).flatMap(([address, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), address, ...operation })),
  );
  const told = ({ method, address, summary, description, parameters = [], requestBody, responses }) => [
    `### ${method} ${address}`,
    summary,
    ...(description === undefined ? [] : [description]),
    ...(parameters.length === 0
      ? []
      : [
          [
            row(["parameter", "in", "type", "meaning"]),
            row(["---", "---", "---", "---"]),
            ...parameters.map(({ name, in: place, required, schema, description: meaning = "" }) =>
              row([`\`${name}\`${required ? "" : "?"}`, place, schema?.type ?? "any", meaning]),
            ),
          ].join("\n"),
        ]),
    ...(requestBody === undefined ? [] : [`Body: ${schemaName(requestBody.content)}`]),
    `Answers: ${Object.entries(responses)
      .map(([status, { content }]) => `${status} ${schemaName(content)}`.trim())
      .join("; ")}`,
  ];
  const tags = [...new Set(operations.flatMap((operation) => operation.tags ?? []))];
  const text = [
    `# ${info.title}`,
    `The HTTP API of [Mission Control](../mission-control.md), version ${info.version}: ${operations.length} operations. The whole document is [openapi.json](openapi.json).`,
    ...tags.flatMap((tag) => [`## ${tag}`, ...operations.filter((one) => one.tags?.includes(tag)).flatMap(told)]),
    "## Schemas",
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [
      `### ${name}`,
      ["```json", JSON.stringify(schema, null, 2), "```"].join("\n"),
    ]),
  ].join("\n\n");
  return { group: "API", file, address: "api/http.html", title: "HTTP API", text };
}
