// The steps of docker/Dockerfile without an engine: what it copies is in the context, what the build reads and the runtime needs is
// copied, and the copied files build and run in folders that have nothing else.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";

/** What `node scripts/build.mjs` reads. */
const BUILD_READS = [
  ...["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json"],
  ...["scripts", "src", "bench", "examples", "prove", "page"],
];
/** What the commands of a worker's image read at run time. */
const RUNTIME_READS = ["package.json", "node_modules", "dist", "catalog", "docs", "templates", "LICENSE"];
/** Commands that need no server, each with a file or a text that shows that its files are there. */
const COMMANDS = [
  { args: ["--version"] },
  { args: ["init", "made"], makes: "made/navigator.config.ts" },
  { args: ["workflow", "init", "feature"], makes: "workflows/feature.json" },
];

/** The stages of a Dockerfile, each with its image and its COPY steps: `from` is a stage, or nothing for the context. */
export function copiesOf(dockerfile) {
  const lines = dockerfile
    .replace(/\\\n/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  const stages = [];
  for (const line of lines) {
    const [word, ...rest] = line.split(/\s+/);
    if (word === "FROM") {
      const [image, as, name] = rest.filter((part) => !part.startsWith("--"));
      stages.push({ image, name: as?.toUpperCase() === "AS" ? name : undefined, copies: [] });
    }
    if (word !== "COPY") continue;
    const options = rest.filter((part) => part.startsWith("--"));
    const paths = rest.filter((part) => !part.startsWith("--"));
    const from = options.find((option) => option.startsWith("--from="))?.slice("--from=".length);
    stages.at(-1).copies.push({ from, sources: paths.slice(0, -1), to: paths.at(-1) });
  }
  return stages;
}

const plain = (source) => source.replace(/^\.?\//, "").replace(/\/$/, "");

/** Whether .dockerignore leaves a path out; its lines here are names and `**` + name. */
function isIgnored(file, ignored) {
  const parts = file.split("/");
  return ignored.some((line) =>
    line.startsWith("**/") ? parts.includes(line.slice(3)) : file === line || file.startsWith(`${line}/`),
  );
}

/** What would fail or be missing, as texts. Nothing is run. */
export function imageProblems(root) {
  const text = (file) => readFileSync(path.join(root, file), "utf8");
  const ignored = text(".dockerignore")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const stages = copiesOf(text("docker/Dockerfile"));
  const names = stages.map(({ name }) => name);
  const fromContext = stages.flatMap(({ copies }) => copies).filter(({ from }) => from === undefined);
  const sources = fromContext.flatMap((copy) => copy.sources).map(plain);
  const copied = ({ copies }) => copies.flatMap((copy) => copy.sources.map((source) => path.posix.basename(source)));
  const lacks = (stage, wanted) => wanted.filter((file) => !copied(stage).includes(file));
  const isFixed = (image) => names.includes(image) || /@sha256:[0-9a-f]{64}$/.test(image);
  return [
    ...stages.filter(({ image }) => !isFixed(image)).map(({ image }) => `FROM ${image}: name the image by its digest.`),
    ...sources
      .filter((file) => !existsSync(path.join(root, file)))
      .map((file) => `COPY ${file}: there is no such file.`),
    ...sources.filter((file) => isIgnored(file, ignored)).map((file) => `COPY ${file}: .dockerignore leaves it out.`),
    ...stages
      .flatMap(({ copies }) => copies)
      .filter(({ from }) => from !== undefined && !names.includes(from))
      .map(({ from }) => `COPY --from=${from}: there is no such stage.`),
    ...lacks(stages[0], BUILD_READS).map((file) => `The first stage lacks ${file}, which the build reads.`),
    ...lacks(stages.at(-1), RUNTIME_READS).map((file) => `The last stage lacks ${file}, which the image needs.`),
  ];
}

/** Only what git has: a build must not need files that somebody happens to have. */
function copyTracked(root, source, to) {
  const files = execFileSync("git", ["ls-files", "-z", "--", source], { cwd: root, encoding: "utf8" }).split("\0");
  for (const file of files.filter((one) => one !== ""))
    cpSync(path.join(root, file), path.join(to, path.relative(path.dirname(source), file)));
}

/**
 * Executes the COPY steps into folders, builds in the first and runs commands in the last. The installed packages stand for those
 * of `npm ci`.
 *
 * @throws Error with what a step printed
 */
export function runImageSteps(root, folder) {
  const stages = copiesOf(readFileSync(path.join(root, "docker/Dockerfile"), "utf8"));
  const places = new Map();
  for (const [i, { name, copies }] of stages.entries()) {
    const place = path.join(folder, `stage-${i}`);
    places.set(name ?? i, place);
    mkdirSync(place, { recursive: true });
    symlinkSync(path.join(root, "node_modules"), path.join(place, "node_modules"));
    for (const { from, sources, to } of copies)
      for (const source of sources) {
        const base = path.basename(source);
        if (base === "node_modules") continue;
        const target = to === "./" ? place : path.join(place, path.dirname(plain(to)));
        if (from === undefined) copyTracked(root, plain(source), target);
        else cpSync(path.join(places.get(from), base), path.join(target, base), { recursive: true });
      }
    if (i === 0) step(process.execPath, ["scripts/build.mjs"], place);
  }
  const app = [...places.values()].at(-1);
  const project = path.join(folder, "project");
  mkdirSync(project);
  for (const { args, makes } of COMMANDS) {
    step(process.execPath, [path.join(app, "dist", "cli", "main.js"), ...args], project);
    if (makes !== undefined && !existsSync(path.join(project, makes)))
      throw new Error(`navigator ${args.join(" ")} made no ${makes}.`);
  }
  for (const file of ["dist/workflow-bundle.js", "dist/page/index.html"])
    if (!existsSync(path.join(app, file))) throw new Error(`The image has no ${file}.`);
}

function step(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
}
