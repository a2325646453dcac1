import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { temporaryFolder } from "../support/environment";

const folder = temporaryFolder("prune-modules");
afterAll(() => folder.remove());

const put = (file: string, text = "") => {
  const at = path.join(folder.path, file);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, text);
};
const kept = (file: string) => existsSync(path.join(folder.path, file));

beforeAll(() => {
  const packages = {
    "": {},
    "node_modules/used": {
      dependencies: { shared: "1" },
      peerDependencies: { peer: "1", rare: "1" },
      peerDependenciesMeta: { rare: { optional: true } },
    },
    "node_modules/used/node_modules/shared": { dependencies: { deep: "1" } },
    "node_modules/shared": {},
    "node_modules/deep": {},
    "node_modules/peer": {},
    "node_modules/rare": {},
    "node_modules/@ai-sdk/openai": {},
    "node_modules/@aws-sdk/client-s3": {},
    "node_modules/@temporalio/core-bridge": {},
    "node_modules/only-for-tests": {},
  };
  put(
    "package.json",
    JSON.stringify({
      dependencies: { used: "1", "@temporalio/core-bridge": "1" },
      peerDependencies: { "@ai-sdk/openai": "3", "@aws-sdk/client-s3": "3" },
    }),
  );
  put("package-lock.json", JSON.stringify({ packages }));
  for (const place of Object.keys(packages).filter((name) => name !== "")) put(`${place}/index.js`, "ok");
  for (const file of ["index.js.map", "index.d.ts", "LICENSE"]) put(`node_modules/used/${file}`);
  for (const target of [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
  ])
    put(`node_modules/@temporalio/core-bridge/releases/${target}/index.node`);
  execFileSync(process.execPath, [path.join(__dirname, "../../docker/prune-modules.mjs"), folder.path]);
});

test.each([
  ["node_modules/used/index.js", true],
  ["node_modules/used/node_modules/shared/index.js", true],
  ["node_modules/deep/index.js", true],
  ["node_modules/peer/index.js", true],
  ["node_modules/@ai-sdk/openai/index.js", true],
  ["node_modules/used/LICENSE", true],
  ["node_modules/shared", false],
  ["node_modules/rare", false],
  ["node_modules/only-for-tests", false],
  ["node_modules/@aws-sdk/client-s3", false],
  ["node_modules/used/index.js.map", false],
  ["node_modules/used/index.d.ts", false],
])("%s is in an image: %s", (file, expected) => expect(kept(file)).toBe(expected));

test("an image has the native part of its own platform alone", () => {
  const arch = process.arch === "arm64" ? "aarch64" : "x86_64";
  const system = process.platform === "darwin" ? "apple-darwin" : "unknown-linux-gnu";
  const releases = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-msvc",
  ];
  expect(releases.filter((name) => kept(`node_modules/@temporalio/core-bridge/releases/${name}`))).toEqual(
    releases.filter((name) => name === `${arch}-${system}`),
  );
});
