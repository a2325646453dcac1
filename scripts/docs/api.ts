import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/** What the package exports, read from the declarations that the compiler makes of the sources. */

const root = path.join(__dirname, "../..");

/** A name that an entry exports. */
export interface PublicName {
  name: string;
  /** Only a type: nothing is left of it at run time. */
  typeOnly: boolean;
  /** The first sentence of the docstring that stands right above its declaration; "" when there is none. */
  summary: string;
  /** Its declarations without comments and private members. */
  declaration: string;
}

/** An entry of package.json, e.g. `navigator-agents/trace`, with its names in order of the alphabet. */
export interface Entry {
  name: string;
  names: PublicName[];
}

let known: readonly Entry[] | undefined;

/** All entries in the order of package.json. The compiler runs once. */
export function entries(): readonly Entry[] {
  known ??= readEntries();
  return known;
}

/** The report of one entry: every name with its signature. */
export const reportOf = (name: string): string =>
  ["```ts", ...entryOf(name).names.map(({ declaration }) => declaration), "```"].join("\n");

/** The place of the rule is for readers of the code: `(agent reference, section 6)`. */
const CITATION = / \([a-z]+ reference, [^)]*\)/g;

/** The lists of docs/exports.md: what each entry has, with the first sentence about it. */
export const entryLists = (): string =>
  entries()
    .map(({ name, names }) => {
      const values = names.filter(({ typeOnly }) => !typeOnly);
      const types = names.filter(({ typeOnly }) => typeOnly).length;
      const rows = values.map((value) => `- \`${value.name}\`: ${value.summary.replace(CITATION, "")}`);
      const last = types === 0 ? [] : [`[${types} types](../${reportFile(name)}).`];
      return [`### \`${name}\``, rows.join("\n"), ...last].join("\n\n");
    })
    .join("\n\n");

/** Where the report of an entry is: `test/api/trace.api.md`; that of the package itself is `index.api.md`. */
export const reportFile = (name: string): string => `test/api/${name.split("/")[1] ?? "index"}.api.md`;

/** The names of the entries, without compiling anything. */
export const entryNames = (): string[] => Object.keys(targets());

function entryOf(name: string): Entry {
  const entry = entries().find((one) => one.name === name);
  if (entry === undefined) throw new Error(`package.json exports no ${name}`);
  return entry;
}

/** Name of an entry -> its file below src, without an ending. */
function targets(): { [name: string]: string } {
  const { name, exports } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as {
    name: string;
    exports: { [entry: string]: string | null | { require: { default: string } } };
  };
  return Object.fromEntries(
    Object.entries(exports).flatMap(([entry, target]) =>
      target === null || typeof target === "string"
        ? []
        : [[name + entry.slice(1), target.require.default.replace(/^\.\/dist\/|\.js$/g, "")]],
    ),
  );
}

/** From the declarations of the build, which compiles the sources anyway. dist mirrors src. */
function readEntries(): Entry[] {
  const build = path.join(root, "scripts", "build.mjs");
  const { status } = spawnSync(process.execPath, [build, "--if-stale"], { cwd: root, stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("The sources do not compile.");
  const dist = path.join(root, "dist");
  const sourceOf = (file: string) => path.join(root, "src", path.relative(dist, file));
  return Object.entries(targets()).map(([name, file]) => ({
    name,
    names: exportsOf(path.join(dist, file))
      .map((exported) => publicName(exported, sourceOf(exported.file)))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }));
}

/** Declarations of one name, and the file they stand in, without an ending. */
interface Declared {
  file: string;
  statements: string[];
}

/** A name, and the declarations that it stands for. */
interface Exported extends Declared {
  name: string;
  own: string;
  typeOnly: boolean;
}

const LIST = /^(import|export)( type)? \{([^}]*)\}(?: from "([^"]+)")?;/gm;

/** What a declaration file exports by name. The compiler writes one declaration after another, each from column 0. */
function exportsOf(file: string): Exported[] {
  return [...fileText(file).matchAll(LIST)].flatMap(([, kind, typeOnly, list, from]) =>
    kind === "import" || from === undefined
      ? []
      : specifiers(list!, typeOnly !== undefined).map((one) => ({
          ...one,
          ...declaredIn(moduleAt(file, from), one.own),
        })),
  );
}

/** The declarations of a name in a file, or in the file that it has the name from. */
function declaredIn(file: string, name: string): Declared {
  const statements = split(fileText(file)).filter((statement) => declaredName(statement) === name);
  if (statements.length > 0) return { file, statements };
  for (const [, , , list, from] of fileText(file).matchAll(LIST)) {
    const found = specifiers(list!).find((one) => one.name === name);
    if (found !== undefined && from?.startsWith(".")) return declaredIn(moduleAt(file, from), found.own);
  }
  throw new Error(`${file} declares no ${name}`);
}

const specifiers = (list: string, typeOnly = false): Omit<Exported, keyof Declared>[] =>
  list
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .map((text) => {
      const [own, name = own] = text.replace(/^type /, "").split(" as ") as [string, string?];
      return { own, name, typeOnly: typeOnly || text.startsWith("type ") };
    });

const fileText = (file: string, endings = [".d.ts", "/index.d.ts"]): string => {
  for (const ending of endings)
    try {
      return readFileSync(file + ending, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  throw new Error(`There is no ${file}${endings[0]}`);
};

function moduleAt(file: string, from: string): string {
  const isFolder = (() => {
    try {
      readFileSync(`${file}.d.ts`);
      return false;
    } catch {
      return true;
    }
  })();
  return path.join(isFolder ? file : path.dirname(file), from);
}

/** The statements of a declaration file; a docstring belongs to the one after it. */
function split(text: string): string[] {
  const statements: string[] = [];
  let [documented, before] = [false, ";"];
  for (const line of text.split("\n")) {
    const begins = /^(export|declare|import|type|interface|\/\*\*)/.test(line) && /[;}/]$/.test(before);
    if (begins && !documented) statements.push(line);
    else statements[statements.length - 1] = `${statements.at(-1) ?? ""}\n${line}`;
    // A docstring lasts until its declaration begins.
    if (begins) documented = line.startsWith("/**");
    before = line;
  }
  return statements;
}

const COMMENT = /[ \t]*\/\*\*[\s\S]*?\*\/\n?/g;

const declaredName = (statement: string): string | undefined =>
  /^(?:export )?(?:declare )?(?:abstract )?(?:function|class|const|let|interface|type|enum) (\w+)/.exec(
    statement.replace(COMMENT, ""),
  )?.[1];

function publicName({ name, own, typeOnly, statements }: Exported, source: string): PublicName {
  const bare = statements.map((statement) =>
    statement
      .replace(COMMENT, "")
      .replace(/^\s+private .*\n/gm, "")
      .trim(),
  );
  const renamed = name === own ? [] : [`export { ${own} as ${name} };`];
  return {
    name,
    typeOnly: typeOnly || bare.every((statement) => /^(export )?(declare )?(interface|type) /.test(statement)),
    summary: firstSentence(docstringOf(fileText(source, [".ts", "/index.ts"]), own)),
    declaration: [...bare, ...renamed].join("\n"),
  };
}

/** A comment that opens a file, with an empty line after it, is about the file and not about its first declaration. */
const DOCUMENTED =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:\/\/.*\n)*(?:export )?(?:abstract )?(?:async )?(?:function|class|const|interface|type) (\w+)/g;

const docstringOf = (source: string, name: string): string =>
  [...source.matchAll(DOCUMENTED)].find(([, , declared]) => declared === name)?.[1] ?? "";

function firstSentence(docstring: string): string {
  const text = docstring
    .replace(/^\s*\* ?/gm, "")
    .split(/\n\s*\n|\n\s*@|^\s*@/)[0]!
    .replace(/\s+/g, " ")
    .trim();
  return /^.*?[.:;](?= [A-Z`]|$)/.exec(text)?.[0].replace(/[:;]$/, ".") ?? text;
}
