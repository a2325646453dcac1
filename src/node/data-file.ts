import { readFileSync } from "node:fs";
import path from "node:path";
import { Lexer, parseDocument } from "yaml";
import { MAX_DEPTH, TOO_DEEP, tooDeepAt } from "../core/base/json/json-problem";
import { NavigatorError } from "../core/base/navigator-error";

/**
 * Reads a JSON or YAML file (by its ending; anything but `.json` is read as YAML).
 *
 * @throws NavigatorError with `file:line:column` for a syntax error.
 */
export function readDataFile(file: string): unknown {
  const text = readTextFile(file);
  return parseData(text, file);
}

/** The same for a text that was read already; `file` is its name in messages and decides between JSON and YAML. */
export function parseData(text: string, file: string): unknown {
  return path.extname(file).toLowerCase() === ".json" ? parseJson(text, file) : parseYaml(text, file);
}

/** The text of a file. @throws NavigatorError */
export function readTextFile(file: string): string {
  const bytes = readBytes(file);
  if (isUtf16(bytes))
    throw new NavigatorError("file_error", `${file} is written in UTF-16, and must be UTF-8.`, {
      hint: "Save it as UTF-8. In PowerShell: Out-File -Encoding utf8, in place of >",
      details: { path: file },
    });
  return bytes.toString("utf8");
}

/** With the mark that editors write first, or without one: the first character of our files is one of ASCII. */
function isUtf16([first, second]: Buffer): boolean {
  const isMarked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return isMarked || (second !== undefined && (first === 0) !== (second === 0));
}

/** The bytes of a file. @throws NavigatorError */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT")
      throw new NavigatorError("not_found", `There is no file ${file}.`, {
        hint: `It was looked for at ${path.resolve(file)}.`,
        details: { path: file, kind: "file" },
      });
    if (code === "EISDIR")
      throw new NavigatorError("file_error", `${file} is a folder, not a file.`, { details: { path: file } });
    throw new NavigatorError("file_error", `${file} cannot be read: ${message}`, { details: { path: file } });
  }
}

/** @throws NavigatorError `invalid_input` with `file:line:column`. */
export function parseJson(text: string, file: string): unknown {
  // Some editors write a byte order mark first; JSON.parse refuses it.
  const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  try {
    return notTooDeep(JSON.parse(json) as unknown, file);
  } catch (error) {
    if (error instanceof NavigatorError) throw error;
    const reason = (error as Error).message;
    const before = json.slice(0, mistakeAt(json, reason)).split("\n");
    const place = `${before.length}:${(before.at(-1) as string).length + 1}`;
    const what = reason.replace(/ in JSON at position .*$/, "").replace(/, (\.\.\.)?"[\s\S]*" is not valid JSON$/, "");
    throw malformed(`${file}:${place}`, what);
  }
}

/**
 * Where JSON.parse failed. It reports the position of some mistakes; that of a wrong character has to be found. The
 * YAML parser cannot find it: `[1,]` and `{a: 1}` are good YAML (docs/decisions/0017).
 */
function mistakeAt(json: string, reason: string): number {
  const position = /at position (\d+)/.exec(reason);
  if (position) return Number(position[1]);
  if (!isWrongCharacter(reason)) return json.length;
  // The shortest prefix that contains the wrong character.
  let [good, bad] = [0, json.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isWrongCharacter(mistakeOf(json.slice(0, middle)))) bad = middle;
    else good = middle;
  }
  return bad - 1;
}

const isWrongCharacter = (reason: string): boolean => reason.startsWith("Unexpected token");

function mistakeOf(json: string): string {
  try {
    JSON.parse(json);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** @param place `file:line:column` */
const malformed = (place: string, what: string): NavigatorError =>
  new NavigatorError("invalid_input", `${place}: ${what}.`, { details: { path: place } });

/** A value whose depth everybody can walk. @throws NavigatorError `invalid_input` */
function notTooDeep(value: unknown, file: string): unknown {
  const path = tooDeepAt(value);
  if (path !== undefined)
    throw new NavigatorError("invalid_input", `${file}: ${TOO_DEEP}, at ${path}`, { details: { path: file } });
  return value;
}

/** Reads YAML text. @throws NavigatorError `invalid_input` with `file:line:column` */
export function parseYaml(text: string, file: string): unknown {
  const deep = deepYamlAt(text);
  if (deep !== undefined) throw malformed(`${file}:${deep}`, TOO_DEEP);
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error) {
    const at = error.linePos?.[0];
    const what = error.message.replace(/ at line \d+, column \d+:[\s\S]*$/, "");
    throw malformed(`${file}${at ? `:${at.line}:${at.col}` : ""}`, what);
  }
  try {
    return notTooDeep(document.toJS({ maxAliasCount: 100 }), file);
  } catch (cause) {
    if (cause instanceof NavigatorError) throw cause;
    throw malformed(file, (cause as Error).message);
  }
}

/**
 * Where a YAML text nests deeper than a value may, as `line:column`. Only its lexer has run then: the parser calls itself
 * for each level, and takes minutes for a text of some hundred kilobytes.
 */
function deepYamlAt(text: string): string | undefined {
  // Each level needs a bracket, a dash, a question mark or a deeper line.
  if (text.length < MAX_DEPTH) return undefined;
  const columns: number[] = [];
  let [flow, line, column] = [0, 1, 1];
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") flow += 1;
    else if (token === "]" || token === "}") flow -= 1;
    else if (flow === 0 && token.trim() !== "" && token !== ":" && token !== ",") {
      while ((columns.at(-1) ?? 0) >= column) columns.pop();
      if (token !== "\u001f") columns.push(column);
    }
    if (flow + columns.length > MAX_DEPTH + 1) return `${line}:${column}`;
    const lines = token.split("\n");
    if (lines.length > 1) [line, column] = [line + lines.length - 1, (lines.at(-1) as string).length + 1];
    else if (!/^[\u0002\u0018\u001f\ufeff]$/.test(token)) column += token.length;
  }
  return undefined;
}
