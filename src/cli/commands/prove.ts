import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Command } from "commander";
import { NavigatorError } from "../../core/base/navigator-error";
import { packageVersion } from "../../node/package-version";
import type { CommandIo } from "../terminal/io";
import { unify } from "../terminal/parse";

const PACKAGE = "navigator-agents-prove";

/** What the package exports (prove/command.ts). */
interface Proofs {
  registerProofs(prove: Command, io: CommandIo): void;
}

/** `navigator prove`: the package navigator-agents-prove adds its subcommands, and is loaded only when the command is called. */
export function registerProve(program: Command, io: CommandIo): void {
  const prove = program
    .command("prove")
    .description("check a promise of Navigator on this machine")
    .option("--project <folder>", "run on the tools and agents of this project")
    .addHelpText("after", "\nExample:\n  $ navigator prove sandbox --quick");
  program.hook("preSubcommand", async (_, command) => {
    if (command !== prove) return;
    const { registerProofs } = (await import(findProofs(program.opts().project))) as Proofs;
    registerProofs(prove, io);
    unify(prove, prove.configureOutput().writeOut as (text: string) => void);
  });
}

/** In a checkout of this repository: the built proofs, and their sources. */
const IN_CHECKOUT = [
  path.join(__dirname, "..", "..", "prove", "command.js"),
  path.join(__dirname, "..", "..", "..", "prove", "command.ts"),
];

/**
 * The package that the project or the working directory has, else the one installed next to this package.
 *
 * @returns a path for `import`
 * @throws NavigatorError when there is none, or one of another version
 */
function findProofs(project = "."): string {
  const version = packageVersion();
  const install = `npm install --save-dev ${PACKAGE}@${version}`;
  const manifest = manifestFrom([path.resolve(project), process.cwd(), __dirname]);
  if (manifest === undefined) {
    const file = IN_CHECKOUT.find(existsSync);
    if (file !== undefined) return file;
    throw new NavigatorError("bad_project", `navigator prove needs the package ${PACKAGE}: ${install}`, {
      details: { path: PACKAGE },
    });
  }
  const found = (JSON.parse(readFileSync(manifest, "utf8")) as { version?: unknown }).version;
  if (found === version) return path.dirname(manifest);
  throw new NavigatorError(
    "bad_project",
    `${manifest} has version ${found}, and navigator-agents has version ${version}. The two packages need the same version.`,
    { hint: install, details: { path: manifest } },
  );
}

function manifestFrom(paths: string[]): string | undefined {
  try {
    return require.resolve(`${PACKAGE}/package.json`, { paths });
  } catch {
    return undefined;
  }
}
