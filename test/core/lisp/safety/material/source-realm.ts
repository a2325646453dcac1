import { readFileSync } from "node:fs";
import { transformSync } from "@swc/core";
import { bareRealm, moduleFile, type Realm } from "../../../../../prove/sandbox/realm";

const codes = new Map<string, string>();

/** A bare realm that runs the sources of this repository. @param entry a module, without its ending */
export const sourceRealm = (entry: string): Realm =>
  bareRealm(entry, (folder, name) => {
    const file = moduleFile(folder, name, ".ts");
    const code = codes.get(file) ?? compiled(file);
    codes.set(file, code);
    return { file, code };
  });

function compiled(file: string): string {
  return transformSync(readFileSync(file, "utf8"), {
    filename: file,
    module: { type: "commonjs" },
    jsc: { target: "es2023", parser: { syntax: "typescript" } },
  }).code;
}
