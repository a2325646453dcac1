// The version has one source, the package.json of this folder. All other places repeat it: here is which, and how they are written.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const json = (file, ...keys) => ({
  file,
  read: (text) => keys.reduce((value, key) => value?.[key], JSON.parse(text)),
  write(text, version) {
    const whole = JSON.parse(text);
    const last = keys.at(-1);
    keys.slice(0, -1).reduce((value, key) => value[key], whole)[last] = version;
    return `${JSON.stringify(whole, null, 2)}\n`;
  },
});

/** `key: "0.1.0"` on a line of its own, with or without quotes. */
const yaml = (file, key) => {
  const line = new RegExp(`^(${key}:\\s*)(["']?)([^"'\\s#]+)\\2`, "m");
  return {
    file,
    read: (text) => line.exec(text)?.[3],
    write: (text, version) => text.replace(line, (_, name, quote) => `${name}${quote}${version}${quote}`),
  };
};

/** Charts of deploy/helm: the version of the application, and of the chart, which comes with it. */
function charts(root) {
  const folder = path.join(root, "deploy", "helm");
  if (!existsSync(folder)) return [];
  const files = [".", ...readdirSync(folder)].map((name) => path.posix.join("deploy/helm", name, "Chart.yaml"));
  const there = files.filter((file) => existsSync(path.join(root, file)));
  return there.flatMap((file) => [yaml(file, "appVersion"), yaml(file, "version")]);
}

const placesOf = (root) => [
  json("package-lock.json", "version"),
  json("package-lock.json", "packages", "", "version"),
  json("create-navigator-agents/package.json", "version"),
  json("prove/package.json", "version"),
  json("prove/package.json", "peerDependencies", "navigator-agents"),
  json("plugins/claude-code/.claude-plugin/plugin.json", "version"),
  json("docs/api/openapi.json", "info", "version"),
  ...charts(root),
];

const textOf = (root, file) => readFileSync(path.join(root, file), "utf8");

/** The version of this package. */
export const versionOf = (root) => JSON.parse(textOf(root, "package.json")).version;

/** Places that say another version, as texts. */
export function wrongVersions(root) {
  const version = versionOf(root);
  return placesOf(root)
    .map(({ file, read }) => ({ file, said: read(textOf(root, file)) }))
    .filter(({ said }) => said !== version)
    .map(({ file, said }) => `${file} says version ${said}, package.json says ${version}: npm run release:version`);
}

/** Writes the version of package.json everywhere. @returns the files */
export function writeVersions(root) {
  const version = versionOf(root);
  const places = placesOf(root);
  for (const { file, write } of places) writeFileSync(path.join(root, file), write(textOf(root, file), version));
  return [...new Set(places.map(({ file }) => file))];
}
