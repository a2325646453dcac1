import type { Command } from "commander";
import { EXIT } from "../src/cli/terminal/exit";
import type { CommandIo } from "../src/cli/terminal/io";
import type { JsonObject } from "../src/core/base/json";
import { NavigatorError } from "../src/core/base/navigator-error";
import type { AnnouncedCall, ProjectOfProof, ProofDefinition, ProofServer } from "./frame/proof";
import type { ProofReport } from "./frame/report";
import { PROOFS } from "./proofs";

/**
 * Adds a command for each proof, and `all`. It is the entry of the package navigator-agents-prove: `navigator prove` calls it
 * (src/cli/commands/prove.ts).
 */
export function registerProofs(prove: Command, io: CommandIo): void {
  for (const proof of PROOFS) registerProof(prove, proof, io);
  prove
    .command("all")
    .description("every proof, and a table for PROMISES.md with commit, seed and figures")
    .option("--seed <seed>", SEED_HELP)
    .option("--quick", "smaller sizes")
    .addOption(prove.createOption("--project <folder>").hideHelp())
    .addHelpText("after", "\nExample:\n  $ navigator prove all --quick")
    .action((_, command: Command) => proveAll(io, command.optsWithGlobals()));
}

type ProveOptions = { seed?: string; quick?: boolean; case?: string; project?: string; tool?: string[] } & {
  callTools?: boolean;
  args?: string;
  yes?: boolean;
} & {
  [size: string]: string | boolean | string[] | undefined;
};

const SEED_HELP = "a whole number, or `random` (default: 1)";

function registerProof(prove: Command, proof: ProofDefinition, io: CommandIo): void {
  const { name, promise, sizes } = proof;
  // A proof that takes no project has these options, too: it refuses them with a reason.
  const projectOption = (flags: string, about: string) =>
    prove.createOption(flags, about).hideHelp(proof.onProject !== true);
  const command = prove
    .command(name)
    .description(promise)
    .option("--seed <seed>", SEED_HELP)
    .option("--quick", "smaller sizes: under a minute on two cores");
  for (const [option, size] of Object.entries(sizes)) {
    const [quick, normal] = [size.quick, size.normal].map((value) => [value].flat().join(","));
    const value = size.kind === "names" ? "names" : size.kind === "share" ? "part" : "n";
    command.option(`--${option} <${value}>`, `${size.about} (default: ${normal}, with --quick ${quick})`);
  }
  command
    .option("--case <n>", "only the case of this number, as a violation names it")
    .addOption(projectOption("--project <folder>", "run on the tools and agents of this project"))
    .addOption(
      projectOption("--tool <name>", "with --project: only this tool; may be given several times").argParser(
        (name: string, before: string[] | undefined) => [...(before ?? []), name],
      ),
    )
    .addOption(projectOption("--call-tools", "call each tool that has a lookup, against its service"))
    .addOption(projectOption("--args <file>", "with --call-tools: JSON or YAML, arguments by tool"))
    .addOption(projectOption("--yes", "with --call-tools: do not ask"))
    .addHelpText("after", `\nExample:\n  $ navigator prove ${name} --quick --json`)
    .action((_, command: Command) => proveOne(io, proof, command.optsWithGlobals()));
}

/** @throws NavigatorError `bad_usage` */
async function projectOf(io: CommandIo, options: ProveOptions): Promise<ProjectOfProof | null> {
  const { project, tool = [], callTools = false, args, yes = false } = options;
  const refuse = (option: string, what: string, other: string) =>
    new NavigatorError("bad_usage", `${option} ${what}: give ${other}, too.`, { details: { path: option } });
  if (project === undefined && tool.length > 0) throw refuse("--tool", "names a tool of a project", "--project FOLDER");
  if (project === undefined && callTools)
    throw refuse("--call-tools", "calls the tools of a project", "--project FOLDER");
  if (args !== undefined && !callTools)
    throw refuse("--args", "are arguments of tools that are called", "--call-tools");
  if (project === undefined) return null;
  if (!callTools) return { folder: project, tools: tool };
  const calls = {
    args: args === undefined ? {} : await readArguments(args),
    confirm: (announced: readonly AnnouncedCall[]) => confirmed(io, announced, yes),
  };
  return { folder: project, tools: tool, calls };
}

/** @throws NavigatorError for a file that does not list arguments by tool */
async function readArguments(file: string): Promise<{ [tool: string]: JsonObject }> {
  const [{ readDataFile }, { z }] = await Promise.all([import("../src/node/data-file"), import("zod")]);
  const read = z.record(z.string(), z.record(z.string(), z.json())).safeParse(readDataFile(file));
  if (read.success) return read.data;
  throw new NavigatorError(
    "invalid_input",
    `${file} must have the arguments of each tool by its name: {"pay": {...}}.`,
    { details: { path: file } },
  );
}

/** Shows what will be called, and asks on a terminal. @throws NavigatorError `confirmation_required` */
async function confirmed(io: CommandIo, calls: readonly AnnouncedCall[], yes: boolean): Promise<void> {
  // The refusal has them, and the report.
  for (const { tool, effect, args, undo } of io.json ? [] : calls)
    io.err(`${tool} ${JSON.stringify(args)}: ${effect}${undo ? ", undone afterwards" : ", and what it does remains"}`);
  if (yes) return;
  const what = `This calls ${calls.length} tool(s) of the project for real`;
  const { confirm } = await import("../src/cli/terminal/confirm");
  await confirm(io, `${what}. Are their services test services?`, {
    message: `${what}. Nothing was called.`,
    hint: "Add --yes to call them. Without --call-tools no tool is called.",
    details: { calls: calls.map((call) => ({ ...call })) },
  });
}

async function proveOne(io: CommandIo, proof: ProofDefinition, options: ProveOptions): Promise<void> {
  const { runProof } = await import("./frame/run-proof");
  const { proofText } = await import("./render-proof");
  const { wholeNumber } = await import("../src/cli/input/arguments");
  const given = Object.keys(proof.sizes).map((option) => [option, options[camelCase(option)] as string | undefined]);
  const report = await runProof(proof, {
    ...(await seedAndSize(options)),
    sizes: Object.fromEntries(given),
    only: wholeNumber("--case", options.case, 0) ?? null,
    project: await projectOf(io, options),
    connect: connectFor(io),
    progress: (done, total) => io.progress(proof.name, done, total),
  });
  io.result(report, () => proofText(report, io.color));
  leave(report);
}

async function proveAll(io: CommandIo, options: ProveOptions): Promise<void> {
  const { runAllProofs } = await import("./all");
  const { codeVersion } = await import("./code-version");
  const { overviewText } = await import("./render-proof");
  if (options.project !== undefined)
    throw new NavigatorError("bad_usage", "navigator prove all does not take --project: name the proof.", {
      details: { path: "--project" },
    });
  const overview = await runAllProofs(PROOFS, codeVersion(), {
    ...(await seedAndSize(options)),
    connect: connectFor(io),
    progress: (name, done, total) => io.progress(name, done, total),
  });
  io.result(overview, () => overviewText(overview, io.color));
  leave(overview);
}

/** A proof that found a violation has failed; the report has the violation. */
function leave({ ok }: Pick<ProofReport, "ok">): void {
  process.exitCode = ok ? EXIT.done : EXIT.failed;
}

const MAX_SEED = 2 ** 32 - 1;

async function seedAndSize({ seed, quick = false }: ProveOptions): Promise<{ seed: number; quick: boolean }> {
  const { DEFAULT_SEED } = await import("./frame/run-proof");
  if (seed === undefined) return { seed: DEFAULT_SEED, quick };
  if (seed === "random") return { seed: Math.floor(Math.random() * MAX_SEED), quick };
  const value = Number(seed);
  if (seed.trim() !== "" && Number.isSafeInteger(value) && value >= 0 && value <= MAX_SEED)
    return { seed: value, quick };
  throw new NavigatorError(
    "bad_usage",
    `--seed must be a whole number from 0 to ${MAX_SEED}, or "random", got "${seed}".`,
    { details: { path: "--seed" } },
  );
}

/** The server of this machine, or the one of TEMPORAL_ADDRESS; where there is none, one is started. */
const connectFor = (io: CommandIo) => async (): Promise<ProofServer> => {
  const [{ loadConfig }, { openServer }] = await Promise.all([
    import("../src/node/settings"),
    import("../src/server/open-server"),
  ]);
  const { address, namespace } = await openServer(loadConfig(), { start: true, progress: (line) => io.err(line) });
  return { address, namespace };
};

const camelCase = (option: string): string => option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
