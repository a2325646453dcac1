import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "@swc/core";
import { shellWord } from "../../src/node/shell-word";

const root = path.join(__dirname, "../..");

/** Ids that somebody chooses so that a copied command runs code. */
const HOSTILE = [
  "x'; touch pwned; '",
  "$(touch pwned)",
  "`touch pwned`",
  "a;touch pwned",
  "a|sh",
  "a & touch pwned &",
  "a\ntouch pwned",
  '"; touch pwned; "',
  "\\'; touch pwned; '",
  "=ls",
  "~root",
  "*",
  "{a,b}",
  "#x",
  "!!",
  "",
];

test("a shell reads every hostile id as one word, and runs nothing of it", () => {
  for (const id of HOSTILE) {
    const { stdout, stderr } = spawnSync("sh", ["-c", `printf '[%s]' ${shellWord(id)}`], {
      encoding: "utf8",
      cwd: "/",
    });
    expect({ id, stdout, stderr }).toEqual({ id, stdout: `[${id}]`, stderr: "" });
  }
  expect(shellWord("=ls")).toBe("'=ls'");
});

interface Node {
  type?: string;
  span?: { start: number; end: number };
  [field: string]: unknown;
}

/** A command begins here, within a text of ours. */
const COMMAND = /(?:^|[^\w/-])(?:npx )?(?:navigator|temporal|kubectl) [a-z][a-z-]*\b[^\n]*$/;
/** The sentence around the command continues. */
const OVER = /[`.,;:)](?: |$)|\): /;

/** Whether a text ends within a command. */
const isInCommand = (text: string): boolean => {
  const [command] = COMMAND.exec(text) ?? [];
  return command !== undefined && !OVER.test(command.trimStart());
};

/** What a command may contain besides quoted words: constants of ours, and texts of a narrow alphabet. */
const PLAIN: readonly RegExp[] = [
  /^key\.x$/, // base64url
  /^claimed\[0\]\?\.token$/, // a claim's number
  /^flags\.join\(" "\)$/,
  /^name$/, // of src/cli/commands: the name of a command of ours (task.ts)
  /^action\b/,
  /^options\.service \? "service" : "add"$/,
  /^EXAMPLE_KEY$/,
  /^PACKAGE$/,
  /^install$/,
  /^(?:value|who|more|by|project|pinned|otherWay)\b/,
];

/** The expressions that stand within a command of a template, and are not quoted for a shell. */
function unquoted(file: string): string[] {
  const source = readFileSync(path.join(root, file), "utf8").replace(/^#!/, "//");
  const module = parseSync(`;${source}`, { syntax: "typescript" }) as unknown as Node & { body: Node[] };
  const base = (module.body[0]?.span?.start ?? 0) + 1;
  const bytes = Buffer.from(source);
  const textOf = ({ span }: Node) => bytes.subarray((span?.start ?? 0) - base, (span?.end ?? 0) - base).toString();
  const quotedNames = new Set([...source.matchAll(/const (\w+) = shellWord\(/g)].map(([, name]) => name));
  const isQuoted = (text: string) =>
    /\bshellWord\(|\bownName\(|\.map\(shellWord\)/.test(text) ||
    quotedNames.has(text) ||
    PLAIN.some((plain) => plain.test(text));
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== "object" || node === null) return;
    const { type, quasis, expressions } = node as { type?: string; quasis?: Node[]; expressions?: Node[] };
    if (type === "TemplateLiteral") {
      let before = "";
      quasis?.forEach((quasi, i) => {
        const piece = String(quasi.raw).replaceAll("\\n", "\n");
        before += piece;
        const next = expressions?.[i];
        if (next === undefined) return;
        if (isInCommand(before) && !isQuoted(textOf(next)))
          found.push(`${file}: ${before.slice(-60)}\${${textOf(next)}}`);
        before += "x";
      });
    }
    for (const [field, value] of Object.entries(node)) if (field !== "span") visit(value);
  };
  visit(module.body);
  return found;
}

test("every printed command quotes what others have chosen", () => {
  const files = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `src/${file}`);
  const templates = files.filter((file) =>
    /(?:navigator|temporal|kubectl) [a-z]/.test(readFileSync(path.join(root, file), "utf8")),
  );
  expect(templates.length).toBeGreaterThan(50);
  expect(templates.flatMap(unquoted)).toEqual([]);
});
