import { defined } from "../../src/core/base/defined";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { shellWord } from "../../src/node/shell-word";
import type { FoundViolation, ProjectOfProof, ProofContext, ProofDefinition, ProofServer } from "./proof";
import { Random } from "./random";
import { MAX_VIOLATIONS, ProofReport, type ProofViolation, type ProvedProject } from "./report";
import { type GivenSizes, readSizes, type SizesOf, type SizeTable } from "./sizes";

/** How a proof is run. */
export interface ProofRun {
  seed: number;
  quick?: boolean;
  sizes?: GivenSizes;
  /** Only this case. */
  only?: number | null;
  /** Runs on the tools of this project. */
  project?: ProjectOfProof | null;
  /** Finds or starts the server; called once, for proofs that need one. */
  connect?(): Promise<ProofServer>;
  progress?(done: number, total: number): void;
}

/** The seed of runs that name none: the same each time, so that a run is about the code. */
export const DEFAULT_SEED = 1;

/**
 * Runs a proof and gives its report, in the shape of docs/prove.md.
 *
 * @throws NavigatorError for sizes and options that the proof does not take, and when the server cannot be had; other
 *   errors are bugs of the proof or of what it runs
 */
export async function runProof<T extends SizeTable>(proof: ProofDefinition<T>, run: ProofRun): Promise<ProofReport> {
  const { seed, quick = false, only = null, project = null, sizes: given = {} } = run;
  const sizes = readSizes(proof.sizes, given, quick);
  if (project !== null && proof.onProject !== true)
    throw new NavigatorError(
      "bad_usage",
      `navigator prove ${proof.name} runs on the built-in missions: it does not take --project.`,
      { details: { path: "--project" } },
    );
  const noted = new Noted(commandOf(proof.name, run), seed);
  const server = proof.needsServer(sizes) ? await run.connect?.() : undefined;
  const body = await proof.load();
  const started = performance.now();
  const figures = await body(contextOf<SizesOf<T>>(run, { sizes, noted, server }));
  if (only === null)
    for (const name of proof.exercised(sizes, project)) if (!(Number(figures[name]) > 0)) noted.nothingTried(name);
  return ProofReport.parse({
    name: proof.name,
    promise: proof.promise,
    ok: noted.count === 0,
    seed,
    sizes: Object.fromEntries(Object.entries(sizes)),
    took_ms: Math.round(performance.now() - started),
    figures: noted.count === 0 ? figures : { ...figures, violations: noted.count },
    ...defined({ project: noted.project }),
    violations: noted.list,
  });
}

function contextOf<S>(
  { seed, only = null, project = null, progress = () => {} }: ProofRun,
  { sizes, noted, server }: { sizes: S; noted: Noted; server: ProofServer | undefined },
): ProofContext<S> {
  return {
    seed,
    sizes,
    only,
    project,
    progress,
    random: (index) => Random.ofCase(seed, index),
    *cases(count) {
      if (only !== null) {
        progress(0, 1);
        yield only;
        return progress(1, 1);
      }
      for (let index = 0; index < count && !noted.enough; index++) {
        progress(index, count);
        yield index;
      }
      progress(count, count);
    },
    ofProject: (found) => {
      noted.project = found;
    },
    violation: (found) => noted.add(found),
    enough: () => noted.enough,
    server: () => {
      if (!server)
        throw new Error("This run has no server: no server was given, or its definition declares that it needs none.");
      return server;
    },
  };
}

/** What a run has found. */
class Noted {
  project: ProvedProject | undefined;
  readonly list: ProofViolation[] = [];
  count = 0;

  constructor(
    private readonly command: (only: number | null) => string,
    private readonly seed: number,
  ) {}

  get enough(): boolean {
    return this.count >= MAX_VIOLATIONS;
  }

  add(found: FoundViolation): void {
    this.count += 1;
    if (this.list.length < MAX_VIOLATIONS)
      this.list.push({ ...found, seed: this.seed, command: this.command(found.case) });
  }

  nothingTried(figure: string): void {
    const what = `Nothing was tried: the figure "${figure}" is 0, so the promise was not tested.`;
    this.add({ what, where: `figures.${figure}`, case: null, smallest: null });
  }
}

/** The command that runs the same again, or one case of it. */
function commandOf(name: string, { seed, quick, sizes = {}, project }: ProofRun): (only: number | null) => string {
  const given = Object.entries(sizes).flatMap(([option, text]) => (text === undefined ? [] : [`--${option}`, text]));
  const words = ["navigator", "prove", name, "--seed", String(seed), ...(quick ? ["--quick"] : []), ...given];
  if (project != null) words.push("--project", project.folder, ...project.tools.flatMap((tool) => ["--tool", tool]));
  if (project?.calls !== undefined) words.push("--call-tools");
  return (only) => [...words, ...(only === null ? [] : ["--case", String(only)])].map(shellWord).join(" ");
}
