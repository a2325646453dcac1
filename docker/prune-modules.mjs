#!/usr/bin/env node
// Deletes from node_modules all that a worker in production does not need: node prune-modules.mjs [FOLDER]
//
// - packages that neither the dependencies of FOLDER nor the optional packages of providers and telemetry need;
// - the native parts of Temporal's SDK for other platforms (120 MB);
// - source maps, type declarations and TypeScript sources of packages.
// FOLDER (default: the current one) has package.json, package-lock.json and node_modules. Run it in the build of an image only.
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import process from "node:process";

const folder = path.resolve(process.argv[2] ?? ".");
const read = (file) => JSON.parse(readFileSync(path.join(folder, file), "utf8"));
const { dependencies = {}, peerDependencies = {} } = read("package.json");
const { packages } = read("package-lock.json");

/** S3 is the one optional package that an image does not have: it is larger than all others together. */
const NOT_IN_AN_IMAGE = new Set(["@aws-sdk/client-s3"]);

/** The place of a package as Node looks for it: beside the one that asks, then upwards. */
function placeOf(name, from) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf("/node_modules/")))) {
    const place = `${at}${at === "" ? "" : "/"}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (at === "") return undefined;
  }
}

function neededPlaces() {
  const needed = new Set();
  const waiting = [];
  const need = (names, from) => {
    for (const name of names) {
      const place = placeOf(name, from);
      if (place === undefined || needed.has(place)) continue;
      needed.add(place);
      waiting.push(place);
    }
  };
  need(Object.keys(dependencies), "");
  need(
    Object.keys(peerDependencies).filter((name) => !NOT_IN_AN_IMAGE.has(name)),
    "",
  );
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { dependencies: own = {}, optionalDependencies = {}, peerDependencies: peers = {} } = packages[place];
    const optional = packages[place].peerDependenciesMeta ?? {};
    const required = Object.keys(peers).filter((name) => optional[name]?.optional !== true);
    need([...Object.keys(own), ...Object.keys(optionalDependencies), ...required], place);
  }
  return needed;
}

const PLATFORM = `${{ x64: "x86_64", arm64: "aarch64" }[process.arch]}-`;
const SYSTEM = { linux: "linux", darwin: "apple", win32: "windows" }[process.platform];

/** The native parts of other machines. */
function foreignNatives() {
  const releases = path.join(folder, "node_modules/@temporalio/core-bridge/releases");
  if (!existsSync(releases)) return [];
  const isOurs = (name) => name.startsWith(PLATFORM) && name.includes(SYSTEM);
  return readdirSync(releases)
    .filter((name) => !isOurs(name))
    .map((name) => path.join(releases, name));
}

const isForAuthors = (file) => /\.(map|[cm]?ts|tsx|tsbuildinfo)$/.test(file);

const needed = neededPlaces();
const unneeded = Object.keys(packages).filter((place) => place.startsWith("node_modules/") && !needed.has(place));
const before = sizeOf(path.join(folder, "node_modules"));
for (const place of unneeded) rmSync(path.join(folder, place), { recursive: true, force: true });
for (const file of foreignNatives()) rmSync(file, { recursive: true });
for (const file of filesOf(path.join(folder, "node_modules"))) if (isForAuthors(file)) rmSync(file);
const after = sizeOf(path.join(folder, "node_modules"));
console.log(`node_modules: ${mb(before)} MB, now ${mb(after)} MB`);

function* filesOf(at) {
  for (const entry of readdirSync(at, { withFileTypes: true })) {
    const file = path.join(at, entry.name);
    if (entry.isDirectory()) yield* filesOf(file);
    else if (entry.isFile()) yield file;
  }
}

function sizeOf(at) {
  let bytes = 0;
  for (const file of filesOf(at)) bytes += statSync(file).blocks * 512;
  return bytes;
}

function mb(bytes) {
  return Math.round(bytes / 2 ** 20);
}
