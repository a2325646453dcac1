// The package navigator-agents-prove: the programs of dist/prove. Where they import another folder of dist, the copy imports
// `navigator-agents/internal/...`.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build, isFresh } from "./build.mjs";
import { wrongVersions } from "./release/version-places.mjs";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const dist = path.join(root, "dist");
const from = path.join(dist, "prove");
const to = path.join(root, "prove", "dist");

const wrong = wrongVersions(root).filter((text) => text.startsWith("prove/"));
if (wrong.length > 0) throw new Error(wrong.join("\n"));
if (!isFresh()) await build();

/** The name under which a module of the package imports another one. */
function nameOf(file, specifier) {
  const target = path.join(path.dirname(file), specifier);
  if (target.startsWith(from + path.sep)) return specifier;
  const found = [target, path.join(target, "index")].find((one) => existsSync(`${one}.js`));
  if (found === undefined) throw new Error(`${file} imports ${specifier}, which is not in dist.`);
  return `navigator-agents/internal/${path.relative(dist, found).split(path.sep).join("/")}`;
}

rmSync(to, { recursive: true, force: true });
for (const name of readdirSync(from, { recursive: true, encoding: "utf8" }).filter((one) => one.endsWith(".js"))) {
  const file = path.join(from, name);
  const code = readFileSync(file, "utf8").replace(
    /\brequire((?:\.resolve)?)\("(\.[^"]+)"\)/g,
    (_, resolve, specifier) => `require${resolve}("${nameOf(file, specifier)}")`,
  );
  mkdirSync(path.dirname(path.join(to, name)), { recursive: true });
  writeFileSync(path.join(to, name), code);
}
