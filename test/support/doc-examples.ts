import { readFileSync } from "node:fs";
import path from "node:path";
import { transformSync } from "@swc/core";
import * as navigator from "../../src";
import * as agent from "../../src/entries/agent";
import * as graph from "../../src/entries/graph";
import * as lisp from "../../src/entries/lisp";
import * as plan from "../../src/entries/plan";
import * as trace from "../../src/entries/trace";
import * as testing from "../../src/testing";

/** The TypeScript of a page in docs/, as it stands there; `server`: what needs one. */
export function examplesOf(page: string, kind: "alone" | "server" | "all" = "all"): string[] {
  const text = readFileSync(path.join(__dirname, "../../docs", page), "utf8");
  return [...text.matchAll(/^(`{3,})ts( server)?\n(.*?)^\1$/gms)]
    .filter(([, , server]) => kind === "all" || (kind === "server") === (server !== undefined))
    .map(([, , , code]) => code as string);
}

/** Runs an example: the tests that it declares, and what it exports. */
export function runExample(code: string): {
  tests: [name: string, run: () => unknown][];
  exports: Record<string, unknown>;
} {
  const tests: [string, () => unknown][] = [];
  const { code: script } = transformSync(code, {
    module: { type: "commonjs" },
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
  });
  const exports = {};
  const own: Record<string, unknown> = {
    "navigator-agents": navigator,
    "navigator-agents/agent": agent,
    "navigator-agents/graph": graph,
    "navigator-agents/lisp": lisp,
    "navigator-agents/plan": plan,
    "navigator-agents/trace": trace,
    "navigator-agents/testing": testing,
  };
  const load = (name: string) => own[name] ?? require(name);
  new Function("require", "exports", "test", script)(load, exports, (name: string, run: () => unknown) =>
    tests.push([name, run]),
  );
  return { tests, exports };
}
